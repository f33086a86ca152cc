import { deepFreeze } from '@looprig/core'
import { type Clock, systemClock } from '../clock/clock.ts'
import type { ErrorInfo } from '../error/errors.ts'
import { isA } from '../error/is-a.ts'
import type { HookFailed } from '../event/hook-event.ts'
import { withinBound } from '../runtime/within-bound.ts'
import { Denial } from './denial.ts'
import type { GuardedOperation, HookOperation, HookScope, HookSubjects } from './hook-subject.ts'
import type { HookTable } from './hook-table.ts'
import type { GuardCheck, HookFinish, HookOutcome } from './hooks.ts'

/** Tells the observers of an operation that it ended. The first call counts. */
export type EndOperation = (outcome: HookOutcome) => void

const unobserved: EndOperation = () => undefined

/** Runs the hooks of one loop. */
export class HookRunner {
  /** Part of every subject. */
  readonly scope: HookScope
  readonly #hooks: HookTable
  readonly #emit: (event: HookFailed) => void
  readonly #clock: Clock

  constructor(hooks: HookTable, scope: HookScope, emit: (event: HookFailed) => void, clock: Clock = systemClock) {
    this.#hooks = hooks
    this.scope = Object.freeze(scope)
    this.#emit = emit
    this.#clock = clock
  }

  /** Says whether somebody guards or observes an operation. */
  isHooked(operation: GuardedOperation): boolean {
    return this.isGuarded(operation) || this.isObserved(operation)
  }

  /** Says whether somebody observes an operation. */
  isObserved(operation: HookOperation): boolean {
    return this.#hooks.around[operation].length > 0
  }

  /** Says whether an operation has a guard, so that it cannot begin without asking. */
  isGuarded(operation: GuardedOperation): boolean {
    return this.#hooks.guards[operation].length > 0
  }

  /**
   * Tells the observers that an operation begins. The caller ends it exactly once, whatever happens; `subject` is made
   * only when somebody looks.
   */
  begin<O extends HookOperation>(operation: O, subject: () => HookSubjects[O]): EndOperation {
    const observers = this.#hooks.around[operation]
    if (observers.length === 0) return unobserved
    const data = deepFreeze(subject())
    const finishes: { readonly finish: HookFinish; readonly failed: () => void }[] = []
    for (const { index, begin } of observers) {
      const failed = (phase: HookFailed['phase']) => this.#failed(operation, data, index, phase)
      const finish = shielded(
        () => begin(data),
        () => failed('begin'),
      )
      if (typeof finish === 'function') finishes.unshift({ finish, failed: () => failed('finish') })
    }
    return (outcome) => {
      for (const { finish, failed } of finishes.splice(0)) shielded(() => finish(outcome), failed)
    }
  }

  /**
   * Asks the guards of an operation, one after another. Returns why it may not happen: the first denial, or that a guard
   * failed. When `signal` aborts meanwhile, and when a guard takes too long, that counts as a guard that failed.
   */
  async refusal<O extends GuardedOperation>(
    operation: O,
    subject: () => HookSubjects[O],
    signal: AbortSignal,
  ): Promise<ErrorInfo | undefined> {
    const guards = this.#hooks.guards[operation]
    if (guards.length === 0) return undefined
    const data = deepFreeze(subject())
    for (const { index, check } of guards) {
      const verdict = await this.#ask(check, data, signal)
      if (verdict === 'passed') continue
      const what = operation.replace('_', ' ')
      return verdict instanceof Denial
        ? { code: 'denied', message: `${what} denied [${verdict.code}]: ${verdict.reason}` }
        : { code: 'guard_failed', message: `${what} blocked: guards[${index}] failed` }
    }
    return undefined
  }

  /** Only a check that gives nothing lets an operation pass: an answer of any other kind blocks. */
  async #ask<O extends GuardedOperation>(
    check: GuardCheck<O>,
    subject: HookSubjects[O],
    signal: AbortSignal,
  ): Promise<'passed' | 'failed' | Denial> {
    try {
      const answering = Promise.resolve(check(subject, Object.freeze({ signal })))
      const answered = answering.then((answer: unknown) => ({ answer }))
      const said = await withinBound(this.#clock, this.#hooks.guardTimeoutMs, answered, signal)
      if (said === undefined) return 'failed'
      if (said.answer === undefined) return 'passed'
      return isA(said.answer, Denial) ? said.answer : 'failed'
    } catch (error) {
      return isA(error, Denial) ? error : 'failed'
    }
  }

  #failed(operation: HookOperation, subject: HookSubjects[HookOperation], index: number, phase: HookFailed['phase']) {
    const { loopId } = this.scope
    const turnId = 'turnId' in subject ? { turnId: subject.turnId } : {}
    this.#emit({ type: 'HookFailed', loopId, ...turnId, operation, index, phase })
  }
}

/** Calls an observer. What it throws, now or by a promise that nobody waits for, is only told. */
function shielded<T>(call: () => T, failed: () => void): T | undefined {
  try {
    const returned = call()
    if (returned instanceof Promise) returned.catch(failed)
    return returned
  } catch {
    failed()
    return undefined
  }
}
