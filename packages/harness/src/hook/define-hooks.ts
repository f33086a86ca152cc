import { byteLength } from '@looprig/core'
import { DefinitionError } from '../error/errors.ts'
import type { GuardedOperation, HookOperation } from './hook-subject.ts'
import { type HookTable, hookTable } from './hook-table.ts'
import type { Guard, Hooks, Observer } from './hooks.ts'

/** What hooks are made of. */
export interface HooksOptions {
  /**
   * Names what the guards enforce; change it when they change, since a session is restored only by those it was made
   * with. Needed with guards and refused without: 1 to 128 bytes, printable, no space at either end.
   */
  readonly policyRevision?: string | undefined
  /**
   * Asked in this order; the first denial counts. A guard that fails denies too. With a guard on turns no input joins a
   * turn that runs: each is judged, and has its turn, by itself; until then its loop rests.
   */
  readonly guards?: readonly Guard[] | undefined
  /** How long one guard may take; one that takes longer denies. Default 30,000 ms, at most a day. */
  readonly guardTimeoutMs?: number | undefined
  /** Told of the begin of an operation in this order, before its guards, and of its end in the reverse one. */
  readonly around?: readonly Observer[] | undefined
}

const guarded: readonly string[] = ['turn', 'inference', 'compaction', 'tool_call'] satisfies GuardedOperation[]

const operations: readonly string[] = [
  ...guarded,
  ...(['step', 'gate_wait', 'tool_execution'] satisfies HookOperation[]),
]

const maxRevisionBytes = 128

const tables = new WeakMap<Hooks, HookTable>()

const noHooks = hookTable(undefined, [], [])

/**
 * Checks and freezes hooks. They run live only: not while a session is read, folded or repaired. Of a turn that a restore
 * goes on with, its steps, gates and executions are told; the turn and its calls were judged before.
 *
 * @throws DefinitionError naming the part at fault.
 */
export function defineHooks(options: HooksOptions): Hooks {
  // a hook does not change when the caller's object does
  const guards = (options.guards ?? []).map((guard, index) => ({ ...guard, index }))
  const around = (options.around ?? []).map((observer, index) => ({ ...observer, index }))
  for (const { operation, check, index } of guards) {
    checkOperation(operation, `guards[${index}].operation`)
    if (!guarded.includes(operation)) {
      throw new DefinitionError(`guards[${index}].operation`, `only ${guarded.join(', ')} can be denied`)
    }
    if (typeof check !== 'function') throw new DefinitionError(`guards[${index}].check`, 'expected a function')
  }
  for (const { operation, begin, index } of around) {
    checkOperation(operation, `around[${index}].operation`)
    if (typeof begin !== 'function') throw new DefinitionError(`around[${index}].begin`, 'expected a function')
  }
  const policyRevision = checkRevision(options.policyRevision, guards.length > 0)
  const hooks: Hooks = Object.freeze({ policyRevision })
  tables.set(hooks, hookTable(policyRevision, guards, around, checkGuardTimeout(options.guardTimeoutMs)))
  return hooks
}

/**
 * What is behind the hooks of a rig; without hooks, an empty table.
 *
 * @throws DefinitionError when they did not come from `defineHooks`.
 */
export function openHooks(hooks: Hooks | undefined): HookTable {
  if (hooks === undefined) return noHooks
  const table = tables.get(hooks)
  if (table === undefined) throw new DefinitionError('hooks', 'expected what defineHooks returns')
  return table
}

/** One day; timers of more than 24 days fire at once. */
const maxGuardTimeoutMs = 86_400_000

function checkGuardTimeout(ms = 30_000): number {
  if (ms > 0 && ms <= maxGuardTimeoutMs) return ms
  throw new DefinitionError('guardTimeoutMs', `expected more than 0 and at most ${maxGuardTimeoutMs} milliseconds`)
}

function checkOperation(operation: unknown, field: string): void {
  if (typeof operation === 'string' && operations.includes(operation)) return
  throw new DefinitionError(field, `expected one of ${operations.join(', ')}`)
}

function checkRevision(revision: string | undefined, isNeeded: boolean): string | undefined {
  if (revision === undefined) {
    if (isNeeded) throw new DefinitionError('policyRevision', 'expected one: there are guards')
    return undefined
  }
  if (!isNeeded) throw new DefinitionError('policyRevision', 'expected none: there are no guards')
  const isPrintable =
    typeof revision === 'string' &&
    revision.isWellFormed() &&
    revision !== '' &&
    revision.trim() === revision &&
    !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(revision) &&
    byteLength(revision) <= maxRevisionBytes
  if (!isPrintable) {
    throw new DefinitionError(
      'policyRevision',
      `expected 1 to ${maxRevisionBytes} printable bytes without outer spaces`,
    )
  }
  return revision
}
