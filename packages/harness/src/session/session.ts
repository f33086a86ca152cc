import type { Block, GateId, InputId, LoopId, Message, SessionId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { CompactionResult } from '../context/compaction-result.ts'
import type { GateAnswer, OpenGate } from '../gate/open-gate.ts'
import type { EventFilter } from '../hub/event-filter.ts'
import type { Subscription } from '../hub/subscription.ts'
import type { Submission } from './submission.ts'

/** What an input may be given. */
export interface SubmitOptions {
  /** Chosen by the client to make a retry safe: the same id with the same content is accepted once. */
  readonly inputId?: InputId | undefined
  /** Interrupts the turn that this input began when it aborts while that turn runs; not one that it joined. */
  readonly signal?: AbortSignal | undefined
  /**
   * Gives this input a turn of its own: it does not join one that runs, and nothing behind it does before. Default false.
   */
  readonly noFold?: boolean | undefined
}

/** Where a subscription begins and what it gives. */
export interface SubscribeOptions {
  /** Events with a greater seq, from the journal and then live. Default: only what comes from now on. */
  readonly since?: number | undefined
  readonly filter?: EventFilter | undefined
}

/** One loop of a session. */
export interface SessionLoop {
  readonly loopId: LoopId
  /** The name of its definition. */
  readonly name: string
  /** The loop that started it as an agent; absent for one that started with its session. */
  readonly parentId?: LoopId
}

/**
 * One durable execution, owned by this process until `shutdown` or `stop`. Everything that it tells was durable before.
 * `await using` shuts it down.
 */
export interface Session extends AsyncDisposable {
  readonly id: SessionId
  /** The loop that takes inputs: the first of the rig, until `setActiveLoop` chose another. */
  readonly loopId: LoopId
  /** All loops that the session has now, in the order in which they started. */
  readonly loops: readonly SessionLoop[]
  /** Why the session stopped, once it did. */
  readonly fault: Error | undefined

  /**
   * Hands over an input and returns at once. While a turn runs the input waits in order, up to 64 of them. It joins that
   * turn when the model is next asked again after calls, and shares its outcome; otherwise it has a turn of its own.
   * Never throws: what is wrong with the input is told by the submission.
   */
  submit(input: string | readonly Block[], options?: SubmitOptions): Submission
  /**
   * Answers an open gate. The first answer counts; an equal second one succeeds. Whether an answer to a gate that was
   * closed long ago is equal is read in the journal.
   *
   * @throws GateError, SessionFaultedError, SessionError `session_closed`; JournalError, StoreError of such a reading.
   */
  answer(gateId: GateId, answer: GateAnswer): Promise<void>
  /**
   * Takes back an input that still waits for its turn: no model sees it, and its submission's result is `cancelled`.
   * Resolves true when that is durable; false, with nothing written, for an input that runs, has ended or is not known.
   * Like everything here it counts in the order of the calls: right after `submit`, that input is meant.
   *
   * @throws SessionFaultedError, SessionError `session_closed`.
   */
  cancel(inputId: InputId): Promise<boolean>
  /**
   * Chooses the loop that takes inputs from now on; what waits for another stays there. Resolves when it is durable.
   *
   * @throws SessionError `loop_not_found`, `session_closed`; SessionFaultedError.
   */
  setActiveLoop(loopId: LoopId): Promise<void>
  /** The mode of the loop that takes inputs; `''` is the base mode. A turn that runs may still have another. */
  readonly mode: string
  /** The model that the loop that takes inputs asks from its next turn on. */
  readonly model: Model
  /**
   * Changes the mode of a loop, by default of the one that takes inputs: durable when it resolves, in force from the next
   * turn on; a turn that runs keeps its own. `''` is the base mode. A model that `setModel` chose stays, unless the mode
   * has one of its own. The mode that a loop has already is no change.
   *
   * @throws SessionError `unknown_mode`, `model_invalid` (the model of the mode cannot be shown the images of the
   *   history, or the chosen one has no prices for the mode's limit on the cost), `loop_not_found`, `session_closed`;
   *   SessionFaultedError.
   */
  setMode(mode: string, options?: { readonly loopId?: LoopId | undefined }): Promise<void>
  /**
   * Changes the model of a loop as `setMode` changes its mode; it counts more than that of the present mode. The loop
   * asks it through the client that it has, which must know the model, also one of another provider.
   *
   * @throws SessionError `model_invalid` (no model, or as with `setMode`), `loop_not_found`, `session_closed`;
   *   SessionFaultedError.
   */
  setModel(model: Model, options?: { readonly loopId?: LoopId | undefined }): Promise<void>
  /** The gates that are open now, the oldest first. */
  gates(): readonly OpenGate[]
  /**
   * The committed transcript of a loop, by default of the one that takes inputs: a frozen snapshot.
   *
   * @throws SessionError `loop_not_found`.
   */
  history(loopId?: LoopId): readonly Message[]
  /**
   * Folds the older part of a loop's history, by default of the one that takes inputs, into a summary: as soon as no
   * step is open, so between two steps of a turn that runs. Joins a compaction that runs already. At rest the loop works
   * meanwhile: what is submitted waits for it. An interrupt, a shutdown and a stop end it with nothing written.
   *
   * Resolves with what it came to when that is durable. A tool must not wait for that of its own loop: its step is open.
   *
   * @throws SessionError `loop_not_found`, `session_closed`; SessionFaultedError.
   */
  compact(options?: { readonly loopId?: LoopId | undefined }): Promise<CompactionResult>
  /**
   * Follows the session. Live subscribers have a buffer of 256 events: a slow one loses ephemeral events first, and
   * ends with `SubscriptionLossError` rather than lose an enduring one. It never slows anybody else.
   *
   * After the session's end it gives the journal from `since` and ends as the session did.
   *
   * @throws SessionError `since_ahead` when `since` is beyond the journal's tip, `since_invalid`.
   */
  subscribe(options?: SubscribeOptions): Subscription
  /**
   * Interrupts the running turn; what people sent since then goes on, what agents of the session sent is cancelled.
   * Resolves when the turn's end is durable: true if there was one to interrupt. Running tools get their abort signal
   * and the loop's drain time. After a shutdown: false.
   *
   * @throws SessionError `session_closed` after `stop`; SessionFaultedError when the end is not certain to be durable.
   */
  interrupt(): Promise<boolean>
  /**
   * Resolves `idle` when no turn runs and nothing is queued, and with `orWaiting` also `waiting` when all that is left
   * waits for a person. What any process had put into the journal before the call counts.
   *
   * @throws SessionFaultedError, SessionError `session_closed`.
   */
  waitIdle(options?: { readonly orWaiting?: boolean | undefined }): Promise<'idle' | 'waiting'>
  /**
   * Parks the session: interrupts what runs, keeps open gates and queued inputs for a restore, and gives up the lease.
   * Safe to call again, also after `stop`, which it then waits for; resolves when all is durable.
   */
  shutdown(): Promise<void>
  /**
   * Ends the session for good: interrupts what runs, abandons open gates, cancels what is queued, and gives up the
   * lease. `SessionStopped` is the last record but for the ends of inputs that another process handed over in that very
   * moment; what a stop adds is durable in one append with the end of the turn that ran, unless the session has resources, which end between the two. Nobody can restore the session afterwards (`session_stopped`); its journal stays readable.
   *
   * Safe to call again. When a shutdown came first, that stays what happens: restore the session to stop it.
   *
   * @throws SessionError `session_closed` after a shutdown, once that is done. SessionFaultedError when the end is not
   *   certain to be durable: restore the session to see.
   */
  stop(): Promise<void>
}
