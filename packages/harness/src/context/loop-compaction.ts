import type { LoopId, TurnId } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import { asFault } from '../error/errors.ts'
import type { ContextPressure } from '../event/context-event.ts'
import type { HookRunner } from '../hook/hook-runner.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { History } from '../runtime/history.ts'
import type { LoopConfig } from '../runtime/loop-config.ts'
import type { TurnHost } from '../runtime/turn-host.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft, SessionLog } from '../session/session-log.ts'
import type { CompactionResult } from './compaction-result.ts'
import { LoopContext } from './loop-context.ts'

/** What the compactions of a loop need of it. */
export interface CompactionHost {
  readonly loopId: LoopId
  readonly definition: LoopDefinition
  readonly history: History
  readonly hooks: HookRunner
  readonly log: SessionLog
  readonly clock: Clock
  readonly ids: IdSource
  emit(event: ContextPressure): void
  /** How the loop works from the next turn on. */
  config(): LoopConfig
  /** No turn runs or is about to. */
  isAtRest(): boolean
  /** The session is being ended: nothing may follow what ends it. */
  isEnding(): boolean
  /** What the loop goes on with after a compaction at rest; joins the append of its outcome. */
  afterwards(): Draft
}

/** A turn, as far as its compactions need to know it. */
export interface CompactingTurn {
  readonly turnId: TurnId
  readonly config: LoopConfig
  readonly stop: AbortController
}

/** The compactions of one loop: between the steps of a turn, or at rest, when what comes for the loop waits meanwhile. */
export class LoopCompaction {
  readonly #host: CompactionHost
  readonly #context: LoopContext | undefined
  #resting: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  constructor(host: CompactionHost) {
    this.#host = host
    const { context: policy } = host.definition
    const { loopId, history, clock, ids } = host
    const emit = (event: ContextPressure) => host.emit(event)
    this.#context = policy && new LoopContext({ loopId, policy, history, clock, ids, emit })
  }

  /** A compaction runs while the loop rests. */
  get isRunning(): boolean {
    return this.#resting !== undefined
  }

  /** Asks for a compaction; see `Session.compact`. It begins at once when the loop rests. */
  ask(): Promise<CompactionResult> {
    const { loopId } = this.#host
    if (this.#context === undefined) {
      return Promise.resolve(Object.freeze({ status: 'rejected', loopId, cause: 'unsupported', usage: {} }))
    }
    const result = this.#context.ask()
    this.begin()
    return result
  }

  /** Begins what was asked for, if the loop rests; a turn that runs does so before its next request. */
  begin(): void {
    const context = this.#context
    if (context === undefined || !context.isAsked || this.isRunning || !this.#host.isAtRest()) return
    const stop = new AbortController()
    this.#resting = { stop, ended: Promise.resolve().then(() => this.#rest(context, stop)) }
  }

  /** Aborts, at once, what runs at rest, and gives up what was asked for. Returns its end if something runs. */
  stop(): Promise<void> | undefined {
    this.#context?.giveUp(this.#host.log.fault)
    this.#resting?.stop.abort()
    return this.#resting?.ended
  }

  /** What a turn does about its context; nothing without a policy. */
  ofTurn({ turnId, config, stop }: CompactingTurn): Pick<TurnHost, 'atBoundary' | 'recover'> {
    const context = this.#context
    if (context === undefined) return {}
    const { client, model } = config.loop
    const { hooks, log } = this.#host
    const boundary = (next: () => InferenceRequest) => ({
      ...{ turnId, client, model, hooks, next },
      signal: stop.signal,
      commit: (decide: () => Draft | undefined) => log.commit(decide),
    })
    return {
      atBoundary: (next) => context.prepare(boundary(next)),
      recover: (next) => context.recover(boundary(next)),
    }
  }

  /** A turn has ended: tells how full the context is now, and begins what was asked for. */
  turnEnded({ config }: CompactingTurn): void {
    this.#context?.observe(config.loop.model)
    this.begin()
  }

  async #rest(context: LoopContext, stop: AbortController): Promise<void> {
    const { hooks, log, history } = this.#host
    const { loop, toolSpecs } = this.#host.config()
    const { client, model, system } = loop
    const next = (): InferenceRequest => ({
      model,
      ...(system === '' ? {} : { system }),
      messages: history.messages(),
      ...(toolSpecs.length === 0 ? {} : { tools: toolSpecs }),
    })
    const commit = (decide: () => Draft | undefined) =>
      log.commit(() => {
        if (this.#host.isEnding()) stop.abort()
        return joinDrafts(decide(), { records: [], apply: () => this.#ended() }, this.#host.afterwards())
      })
    try {
      await context.compact({ turnId: undefined, client, model, hooks, signal: stop.signal, next, commit })
    } catch (error) {
      // whatever escapes means that memory and journal may differ: only a restore may go on
      log.fail(asFault(error))
    } finally {
      this.#ended()
    }
  }

  #ended(): void {
    this.#resting = undefined
  }
}
