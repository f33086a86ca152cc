import { createHash } from 'node:crypto'

/** The longest name of a tool that every protocol takes. */
export const maxToolName = 64

/** Says whether a protocol takes a name for a tool: letters, digits, underscores and hyphens. */
export function isToolName(name: string, maxLength: number): boolean {
  return name.length <= maxLength && /^[\w-]+$/.test(name)
}

/**
 * The name under which a past call is sent back. A model may have made up one that the provider refuses; the call got
 * its error result then, and the history must stay sendable.
 */
export function replayedToolName(name: string, maxLength: number): string {
  if (isToolName(name, maxLength)) return name
  const legal = name.replace(/[^\w-]/g, '_').slice(0, maxLength)
  return legal === '' ? 'unnamed' : legal
}

/**
 * The id under which a past call and its result are sent back: another provider's ids may not be legal here. Equal ids
 * stay equal and different ones stay different.
 */
export function replayedToolId(id: string, legal: RegExp, maxLength: number): string {
  if (id.length <= maxLength && legal.test(id)) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${id.replace(/[^\w-]/g, '_').slice(0, 32)}_${digest}`
}
