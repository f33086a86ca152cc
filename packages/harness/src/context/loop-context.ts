import type { LoopId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { Clock } from '../clock/clock.ts'
import { createDeferred, type Deferred } from '../clock/deferred.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { ErrorInfo } from '../error/errors.ts'
import type { ContextPressure } from '../event/context-event.ts'
import type { History } from '../runtime/history.ts'
import { AutomaticAttempts } from './automatic-attempts.ts'
import type { Boundary } from './boundary.ts'
import { runCompaction } from './compaction.ts'
import type { CompactionReason, CompactionResult } from './compaction-result.ts'
import { type ContextLevel, inputLimit, levelOf } from './context-level.ts'
import type { ContextPolicy } from './context-policy.ts'
import { countTokens } from './count-tokens.ts'
import { type Cut, cutHistory } from './cut.ts'
import { isWorthSummary } from './make-summary.ts'
import { reportedTokens } from './measure.ts'

/** What the context of a loop needs of it. */
export interface ContextHost {
  readonly loopId: LoopId
  readonly policy: ContextPolicy
  readonly history: History
  readonly clock: Clock
  readonly ids: IdSource
  emit(event: ContextPressure): void
}

const overLimit: ErrorInfo = {
  code: 'context_limit',
  message: 'the conversation is longer than the model takes; compact it, or begin a new session',
}
const notCounted: ErrorInfo = {
  code: 'context_count_failed',
  message: 'the tokens of the request could not be counted, so it was not sent',
}

/** How full the context of one loop is, and its compactions: one at a time, never while a step is open. */
export class LoopContext {
  readonly #host: ContextHost
  readonly #attempts = new AutomaticAttempts()
  #level: ContextLevel = 'normal'
  /** Who asked for a compaction that has not begun. */
  #asked: Deferred<CompactionResult> | undefined
  #running: Promise<CompactionResult> | undefined

  constructor(host: ContextHost) {
    this.#host = host
  }

  /** A compaction was asked for and waits for a boundary. */
  get isAsked(): boolean {
    return this.#asked !== undefined
  }

  /** Asks for a compaction at the next boundary; joins the one that runs or is asked for. Rejects for a fault alone. */
  ask(): Promise<CompactionResult> {
    if (this.#running !== undefined) return this.#running
    this.#asked ??= createDeferred()
    return this.#asked.promise
  }

  /** Gives up a compaction that was asked for and has not begun. */
  giveUp(fault?: Error): void {
    const asked = this.#asked
    this.#asked = undefined
    if (fault !== undefined) asked?.reject(fault)
    asked?.resolve(Object.freeze({ status: 'rejected', loopId: this.#host.loopId, cause: 'interrupted', usage: {} }))
  }

  /**
   * Gets the context ready for the next request of a turn. Returns why the turn must fail instead; what it returns for a
   * turn that was stopped meanwhile does not matter.
   */
  async prepare(boundary: Boundary): Promise<ErrorInfo | undefined> {
    if (this.#asked !== undefined) await this.compact(boundary)
    let level = await this.#measure(boundary)
    if (level === 'compact' || level === 'hard') {
      if (await this.#tryAutomatic(boundary, level)) level = await this.#measure(boundary)
    }
    if (level === 'failed') return notCounted
    return level === 'hard' ? overLimit : undefined
  }

  /** A provider refused a request as too long: says whether the context is shorter now, so that it may be sent again. */
  async recover(boundary: Boundary): Promise<boolean> {
    return this.#tryAutomatic(boundary, 'hard')
  }

  /** Runs the compaction that was asked for. */
  compact(boundary: Boundary): Promise<CompactionResult> {
    return this.#run(boundary, 'manual', this.#cut(boundary, this.#level))
  }

  /** Runs one compaction, also for all who asked for one. */
  async #run(boundary: Boundary, reason: CompactionReason, cut: Cut | undefined): Promise<CompactionResult> {
    const asked = this.#asked ?? createDeferred<CompactionResult>()
    this.#asked = undefined
    this.#running = asked.promise
    try {
      const limitTokens = this.#limit(boundary)
      const result = await runCompaction({ ...this.#host, boundary, reason, limitTokens, cut })
      asked.resolve(result)
      return result
    } catch (error) {
      asked.reject(error instanceof Error ? error : new Error('the compaction failed', { cause: error }))
      throw error
    } finally {
      this.#running = undefined
    }
  }

  /** Measures without a counter at the end of a step: what the provider has just reported. */
  observe(model: Model): void {
    const { policy, history } = this.#host
    const limitTokens = inputLimit(policy, model.limits)
    const inputTokens = reportedTokens(history)
    if (policy.counter !== undefined || limitTokens === undefined || inputTokens === undefined) return
    this.#take({ inputTokens, limitTokens })
  }

  async #tryAutomatic(boundary: Boundary, level: Exclude<ContextLevel, 'normal'>): Promise<boolean> {
    if (!this.#host.policy.automatic || boundary.signal.aborted) return false
    const cut = this.#cut(boundary, level)
    if (cut === undefined || !this.#attempts.mayTry(cut.tailFrom, level)) return false
    const result = await this.#run(boundary, 'automatic', cut)
    if (result.status === 'committed') this.#attempts.committed()
    else this.#attempts.rejected(cut.tailFrom, level)
    return result.status === 'committed'
  }

  /** The level of the next request; nothing while nobody knows how long it is. */
  async #measure(boundary: Boundary): Promise<ContextLevel | 'failed' | undefined> {
    const { policy, history, clock } = this.#host
    const limitTokens = this.#limit(boundary)
    if (limitTokens === undefined) return undefined
    const { signal } = boundary
    const inputTokens =
      policy.counter === undefined
        ? reportedTokens(history)
        : await countTokens(policy, boundary.next(), { signal, clock })
    if (inputTokens === undefined || inputTokens === 'failed') return inputTokens
    return this.#take({ inputTokens, limitTokens })
  }

  #take(measure: { readonly inputTokens: number; readonly limitTokens: number }): ContextLevel {
    const previous = this.#level
    const level = levelOf(this.#host.policy, measure, previous)
    this.#level = level
    if (level === 'normal') this.#attempts.rearm()
    const { loopId } = this.#host
    if (level !== previous) this.#host.emit({ type: 'ContextPressure', loopId, ...measure, level, previous })
    return level
  }

  /**
   * What a compaction would summarise and keep: so little that the pressure falls below `rearmBelow` if it can, and at
   * the limit no more than must be.
   */
  #cut(boundary: Boundary, level: ContextLevel): Cut | undefined {
    const { policy, history } = this.#host
    const limit = this.#limit(boundary)
    const room = limit === undefined ? policy.keepRecentTokens : limit * policy.rearmBelow - policy.maxSummaryTokens
    const tokens = Math.min(policy.keepRecentTokens, room)
    const keeps = [{ segments: policy.keepRecentSegments, tokens }]
    if (level === 'hard') keeps.push({ segments: 1, tokens })
    const cuts = keeps.map((keep) => cutHistory(history.entries(), keep))
    return cuts.find((cut) => cut !== undefined && isWorthSummary(cut))
  }

  #limit({ model }: Boundary): number | undefined {
    return inputLimit(this.#host.policy, model.limits)
  }
}
