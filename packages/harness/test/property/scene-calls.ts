/** Everything that was asked of a session, by its owner and by others, and what it came to. */
import { type InputId, isLooprigError } from '@looprig/core'
import type { Submission, TurnResult } from '../../src/index.ts'

/** One input that was submitted, and what became of it. */
export interface Said {
  readonly act: string
  readonly text: string
  readonly inputId: InputId
  /** Absent when its session faulted. */
  readonly accepted: boolean | undefined
  /** Absent when its session faulted. */
  readonly result: TurnResult | undefined
}

/** What one act led to: a value, or a failure with a code. */
export interface Outcome {
  readonly act: string
  readonly outcome: unknown
}

/** Waits for a promise, and names it when it hangs. */
type Settle = <T>(what: string, promise: Promise<T>) => Promise<T>

export class SceneCalls {
  readonly #settled: Settle
  readonly #calls: { readonly act: string; readonly outcome: Promise<unknown> }[] = []
  readonly #mailed: { readonly act: string; readonly outcome: Promise<InputId | undefined> }[] = []
  readonly #asked: { readonly act: string; readonly text: string; readonly submission: Submission }[] = []

  constructor(settled: Settle) {
    this.#settled = settled
  }

  /** Some process asked for something. */
  add(act: string, promise: Promise<unknown>): void {
    this.#calls.push({ act, outcome: promise.catch(typed) })
  }

  /** The owner submitted an input; its events have a slow reader, who takes one and no more. */
  submitted(act: string, text: string, submission: Submission): void {
    this.add(act, submission[Symbol.asyncIterator]().next())
    this.#asked.push({ act, text, submission })
  }

  /** Another process handed over an input. */
  mail(act: string, promise: Promise<InputId>): void {
    this.add(act, promise)
    this.#mailed.push({ act, outcome: promise.catch(() => undefined) })
  }

  /** The input that was submitted so many before the last one. */
  before(back: number): { readonly text: string; readonly inputId: InputId } | undefined {
    const asked = this.#asked.at(-1 - back)
    return asked && { text: asked.text, inputId: asked.submission.inputId }
  }

  async outcomes(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = []
    for (const { act, outcome } of this.#calls) outcomes.push({ act, outcome: await this.#settled(act, outcome) })
    return outcomes
  }

  async said(): Promise<readonly Said[]> {
    const said: Said[] = []
    for (const { act, text, submission } of this.#asked) {
      const refusal = await this.#settled(`accepted of ${act}`, refusalOf(submission.accepted))
      const result = await this.#settled(`result of ${act}`, submission.result().catch(typed))
      said.push({
        ...{ act, text, inputId: submission.inputId },
        accepted: refusal === undefined ? true : refusal.code === 'session_faulted' ? undefined : false,
        result: 'status' in result ? result : undefined,
      })
    }
    return said
  }

  /** The inputs that a mailbox took. */
  async mailed(): Promise<readonly InputId[]> {
    const ids: InputId[] = []
    for (const { act, outcome } of this.#mailed) {
      const id = await this.#settled(act, outcome)
      if (id !== undefined) ids.push(id)
    }
    return ids
  }
}

/** A failure that has a code; any other is one of ours. */
export function typed(error: unknown): { readonly code: string } {
  if (isLooprigError(error)) return error
  throw error
}

function refusalOf(promise: Promise<void>): Promise<{ readonly code: string } | undefined> {
  return promise.then(() => undefined, typed)
}
