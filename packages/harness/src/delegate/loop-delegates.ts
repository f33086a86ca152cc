import { DefinitionError } from '../error/errors.ts'
import type { DelegationStyle } from './agent-menu.ts'

/** What a loop may say of its agents, and of itself as one. */
export interface DelegateOptions {
  /**
   * What this loop is for, in a sentence or two: loops that may start it as an agent read it. Default: nothing. At most
   * 4 KiB; 700 bytes of it are shown.
   */
  readonly description?: string | undefined
  /**
   * The names of the loops of the rig that this one may start as its agents; itself too. They differ, at most 64. With
   * any, the loop gets the tools StartAgent and, when managed, ListAgents, MessageAgent and StopAgent; these names are
   * taken. An agent is a loop of its own with its own gate, tools and transcript. Default: none.
   */
  readonly delegates?: readonly string[] | undefined
  /**
   * `sync`: it starts agents and waits for their answers. `managed`: it may also let them work in the background, send
   * them more, list and stop them. Default `sync`.
   */
  readonly delegation?: DelegationStyle | undefined
}

/** The same, checked and complete. */
export interface LoopDelegates {
  readonly description: string
  readonly delegates: readonly string[]
  readonly delegation: DelegationStyle
}

const maxDelegates = 64
const maxDescriptionCharacters = 4_096

/**
 * Checks what one loop says of its agents; that they exist is for the rig to see.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function checkDelegates(options: DelegateOptions): LoopDelegates {
  const { description = '', delegates = [], delegation = 'sync' } = options
  if (typeof description !== 'string' || description.length > maxDescriptionCharacters) {
    throw new DefinitionError('description', `expected a text of at most ${maxDescriptionCharacters} characters`)
  }
  if (!Array.isArray(delegates) || delegates.length > maxDelegates) {
    throw new DefinitionError('delegates', `expected a list of at most ${maxDelegates} names`)
  }
  const names: readonly unknown[] = delegates
  const seen = new Set<string>()
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || name === '') throw new DefinitionError(`delegates[${index}]`, 'expected a name')
    if (seen.has(name)) throw new DefinitionError(`delegates[${index}]`, `${name} is there twice`)
    seen.add(name)
  }
  if (delegation !== 'sync' && delegation !== 'managed') {
    throw new DefinitionError('delegation', "expected 'sync' or 'managed'")
  }
  return { description, delegates: Object.freeze([...seen]), delegation }
}
