import type { Block, GateId, InputId, LoopId, Message, SessionId, ToolExecutionId } from '@looprig/core'
import type { Requirement, ToolRequest } from '@looprig/tools'
import type { GateAction } from '../event/gate-event.ts'
import type { StepScope } from '../event/step-event.ts'
import type { EventFilter } from '../hub/event-filter.ts'
import type { Subscription } from '../hub/subscription.ts'
import type { Submission } from './submission.ts'

/** What an input may be given. */
export interface SubmitOptions {
  /** Chosen by the client to make a retry safe: the same id with the same content is accepted once. */
  readonly inputId?: InputId | undefined
  /** Interrupts the turn of this input when it aborts while that turn runs. */
  readonly signal?: AbortSignal | undefined
}

/** Where a subscription begins and what it gives. */
export interface SubscribeOptions {
  /** Events with a greater seq, from the journal and then live. Default: only what comes from now on. */
  readonly since?: number | undefined
  readonly filter?: EventFilter | undefined
}

/** One question to a person that is still open. */
export interface OpenGate extends StepScope {
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly request: ToolRequest
  readonly unmet: readonly Requirement[]
  readonly actions: readonly GateAction[]
}

/** An answer to a gate. */
export interface GateAnswer {
  readonly action: GateAction
  /** Who answers, for the audit. */
  readonly by?: string | undefined
}

/**
 * One durable execution, owned by this process until `shutdown` or `stop`. Everything that it tells was durable before.
 * `await using` shuts it down.
 */
export interface Session extends AsyncDisposable {
  readonly id: SessionId
  /** The loop that takes inputs. */
  readonly loopId: LoopId
  /** Why the session stopped, once it did. */
  readonly fault: Error | undefined

  /**
   * Hands over an input and returns at once. While a turn runs the input waits in order, up to 64 of them; each has a
   * turn of its own. Never throws: what is wrong with the input is told by the submission.
   */
  submit(input: string | readonly Block[], options?: SubmitOptions): Submission
  /**
   * Answers an open gate. The first answer counts; an equal second one succeeds.
   *
   * @throws GateError `gate_not_found`, `already_resolved`, `action_invalid`.
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
  /** The gates that are open now, the oldest first. */
  gates(): readonly OpenGate[]
  /** The committed transcript of the loop: a frozen snapshot. */
  history(): readonly Message[]
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
   * Interrupts the running turn; queued inputs stay and go on. Resolves when the turn's end is durable: true if there
   * was one to interrupt. Running tools get their abort signal and the loop's drain time. After a shutdown: false.
   *
   * @throws SessionError `session_closed` after `stop`.
   */
  interrupt(): Promise<boolean>
  /**
   * Resolves `idle` when no turn runs and nothing is queued, and with `orWaiting` also `waiting` when all that is left
   * waits for a person.
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
   * lease. `SessionStopped` is the last record; what a stop adds is durable in one append with the end of the turn that
   * ran. Nobody can restore the session afterwards (`session_stopped`); its journal stays readable.
   *
   * Safe to call again. When a shutdown came first, that stays what happens: restore the session to stop it.
   *
   * @throws SessionError `session_closed` after a shutdown, once that is done. SessionFaultedError when the end is not
   *   certain to be durable: restore the session to see.
   */
  stop(): Promise<void>
}
