const allowedName = /^[\w-]{1,64}$/

/** Says whether the protocol takes a name for a tool. */
export function isToolName(name: string): boolean {
  return allowedName.test(name)
}

/**
 * The name under which a past call is sent back. A model may have made up one that the provider refuses; the call got
 * its error result then, and the history must stay sendable.
 */
export function replayedToolName(name: string): string {
  if (isToolName(name)) return name
  const legal = name.replace(/[^\w-]/g, '_').slice(0, 64)
  return legal === '' ? 'unnamed' : legal
}
