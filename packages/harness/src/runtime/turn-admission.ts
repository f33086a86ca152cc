import type { TurnId } from '@looprig/core'
import { type IdSource, newId } from '../clock/id-source.ts'
import type { ErrorInfo } from '../error/errors.ts'
import type { EndOperation, HookRunner } from '../hook/hook-runner.ts'
import type { HookOutcome } from '../hook/hooks.ts'
import type { Draft, SessionLog } from '../session/session-log.ts'
import type { WaitingInput } from './input-queue.ts'

/** A turn that its guards let pass. */
export interface AdmittedTurn {
  readonly turnId: TurnId
  readonly endHooks: EndOperation
}

/** What the judgement of turns needs of their loop. */
export interface AdmissionHost {
  readonly hooks: HookRunner
  readonly log: SessionLog
  readonly ids: IdSource
  /** The index of the next turn. */
  turnIndex(): number
  /** The input whose turn comes next; nothing while a turn runs, the session ends, or nothing waits. */
  next(): WaitingInput | undefined
  start(input: WaitingInput, turn: AdmittedTurn): Draft
  reject(input: WaitingInput, error: ErrorInfo): Draft
}

/** A turn that is being judged. */
interface Judgement {
  readonly input: WaitingInput
  readonly stop: AbortController
  readonly done: Promise<void>
}

/**
 * Asks the guards of a loop's turns, one turn after another. A judgement takes its time, and a decision of the journal
 * takes none: so an input is durable and waits first, is judged then, and begins its turn or is rejected last.
 */
export class TurnAdmission {
  readonly #host: AdmissionHost
  #isRunning = false
  #current: Judgement | undefined

  constructor(host: AdmissionHost) {
    this.#host = host
  }

  /** Whether turns have to be judged at all. */
  get isNeeded(): boolean {
    return this.#host.hooks.isGuarded('turn')
  }

  /** Judges what waits until a turn begins or nothing waits any more. Call it whenever that may have changed. */
  advance(): void {
    if (!this.isNeeded || this.#isRunning) return
    this.#isRunning = true
    // a commit that fails has faulted or ended the session already
    this.#advance().catch(() => undefined)
  }

  /** An input was taken back: its judgement matters no more. */
  withdraw(inputId: WaitingInput['inputId']): void {
    if (this.#current?.input.inputId === inputId) this.#current.stop.abort()
  }

  /** Breaks off the judgement that is going on. Resolves with its input when it has its outcome. */
  async stop(): Promise<WaitingInput | undefined> {
    const current = this.#current
    current?.stop.abort()
    await current?.done
    return current?.input
  }

  async #advance(): Promise<void> {
    try {
      for (let input = this.#host.next(); input !== undefined; input = this.#host.next()) {
        const stop = new AbortController()
        const done = this.#judge(input, stop.signal)
        // whoever stops it waits for its end, and is told of no failure
        this.#current = { input, stop, done: done.catch(() => undefined) }
        await done
      }
    } finally {
      this.#current = undefined
      this.#isRunning = false
    }
  }

  async #judge(input: WaitingInput, signal: AbortSignal): Promise<void> {
    const { hooks, ids, log } = this.#host
    const { inputId, message } = input
    const turnId = newId(ids, 'TurnId')
    const turnIndex = this.#host.turnIndex()
    const subject = () => ({ ...hooks.scope, turnId, inputId, turnIndex, message })
    const endHooks = hooks.begin('turn', subject)
    let isBegun = false
    let outcome: HookOutcome = 'interrupted'
    try {
      const denied = await hooks.refusal('turn', subject, signal)
      const error = signal.aborted ? brokenOff : denied
      if (denied !== undefined && !signal.aborted) outcome = 'denied'
      await log.commit(() => {
        // it was taken back, or the session ends and leaves it to a restore
        if (this.#host.next() !== input) return undefined
        if (error !== undefined) return this.#host.reject(input, error)
        const start = this.#host.start(input, { turnId, endHooks })
        return {
          ...start,
          delivered: () => {
            isBegun = true
            start.delivered?.()
          },
        }
      })
    } finally {
      if (!isBegun) endHooks(outcome)
    }
  }
}

const brokenOff: ErrorInfo = { code: 'denied', message: 'the turn was interrupted before its guards had decided' }
