import { isBindingName } from './attenuate-bindings.ts'
import type { BindingName } from './bindings.ts'
import { DefinitionBuildError } from './errors.ts'

/** What every spec has, before anything of it is known to be so: callers without types exist. */
interface UncheckedSpec {
  readonly name?: unknown
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly requires?: unknown
  readonly pure?: unknown
  readonly setup?: unknown
  readonly prepare?: unknown
  readonly run?: unknown
  readonly timeoutMs?: unknown
}

/** One day; timers of more than 24 days fire at once. */
const maxTimeoutMs = 86_400_000

const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * Checks the spec of a tool as far as that can be done before it is bound.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the field at fault.
 */
export function checkSpec(spec: UncheckedSpec): void {
  const { name, description, inputSchema, pure, setup, prepare, run, timeoutMs = 1 } = spec
  if (typeof name !== 'string' || !toolName.test(name)) refuse('tool', 'name')
  if (typeof description !== 'string' || description.trim() === '') refuse(name, 'description')
  if (typeof inputSchema !== 'object' || inputSchema === null) refuse(name, 'inputSchema')
  if (setup !== undefined && typeof setup !== 'function') refuse(name, 'setup')
  if (typeof run !== 'function') refuse(name, 'run')
  if (pure !== true && typeof prepare !== 'function') refuse(name, 'prepare')
  const isTime = typeof timeoutMs === 'number' && Number.isSafeInteger(timeoutMs)
  if (!isTime || timeoutMs < 1 || timeoutMs > maxTimeoutMs) refuse(name, 'timeoutMs')
}

/** Copies and freezes what a definition requires. */
export function checkedRequires(name: string, requires: readonly BindingName[] = []): readonly BindingName[] {
  const isKnown = Array.isArray(requires) && requires.every(isBindingName)
  if (!isKnown || new Set(requires).size !== requires.length) refuse(name, 'requires')
  return Object.freeze([...requires])
}

function refuse(definition: string, field: string): never {
  throw new DefinitionBuildError('invalid_definition', definition, field)
}
