import { headWithin } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'
import { RestoreRejectedError, SessionFaultedError } from '../error/errors.ts'
import type { ConfigurationAdopted } from '../event/session-event.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { assessDrift, type ModeInForce } from './drift-assessment.ts'
import type { DriftAssessment } from './drift-change.ts'
import type { RestoreDecider } from './drift-decider.ts'
import type { Manifest } from './manifest.ts'

const maxActorBytes = 128
const maxMessageBytes = 1_024

/** What is decided on, and how. */
export interface DriftQuestion {
  /** What the journal says last. */
  readonly recorded: Manifest
  readonly present: Manifest
  readonly modesInForce: readonly ModeInForce[]
  /** The loop that takes the session's inputs: no other could go on with its history. */
  readonly neededLoop: string
  readonly decider: RestoreDecider
  readonly clock: Clock
  readonly timeoutMs: number
  /** The lease's. */
  readonly lost: AbortSignal
}

/**
 * Decides whether a session goes on with the present configuration: the event that records it, or `undefined` when
 * nothing differs.
 *
 * @throws RestoreRejectedError; SessionFaultedError `lease_lost` when the lease is gone before there is a decision.
 */
export async function decideDrift(question: DriftQuestion): Promise<ConfigurationAdopted | undefined> {
  const { recorded, present, modesInForce, neededLoop } = question
  const assessment = assessDrift(recorded, present, modesInForce)
  if (assessment.changes.length === 0) return undefined
  const { changes } = assessment
  if (present.loops.every(({ name }) => name !== neededLoop)) throw new RestoreRejectedError(changes, 'loop_missing')
  const said = await askDecider(question, assessment)
  if (said.action === 'reject') throw new RestoreRejectedError(changes, 'rejected')
  const { actor, message } = said
  return {
    type: 'ConfigurationAdopted',
    config: present,
    changes,
    ...(actor === '' ? {} : { by: actor }),
    ...(message === '' ? {} : { message }),
  }
}

/** Waits for the decider until time is up or the lease is lost, whether or not it looks at its signal. */
async function askDecider(question: DriftQuestion, assessment: DriftAssessment): Promise<CheckedDecision> {
  const { decider, clock, timeoutMs, lost } = question
  const { changes } = assessment
  const late = new AbortController()
  const signal = AbortSignal.any([late.signal, lost])
  const cancelTimer = clock.setTimer(timeoutMs, () => late.abort())
  try {
    const said: unknown = await untilAborted(ask(decider, assessment, signal), signal)
    if (lost.aborted) throw new SessionFaultedError('lease_lost')
    if (late.signal.aborted) throw new RestoreRejectedError(changes, 'decider_late')
    const decision = checkDecision(said)
    if (decision === undefined) throw new RestoreRejectedError(changes, 'decider_invalid')
    return decision
  } catch (cause) {
    if (cause instanceof RestoreRejectedError || cause instanceof SessionFaultedError) throw cause
    throw new RestoreRejectedError(changes, 'decider_failed', { cause })
  } finally {
    cancelTimer()
  }
}

/** What a decider throws at once is what its promise rejects with. */
async function ask(decider: RestoreDecider, assessment: DriftAssessment, signal: AbortSignal): Promise<unknown> {
  return decider(assessment, { signal })
}

type CheckedDecision =
  | { readonly action: 'adopt'; readonly actor: string; readonly message: string }
  | { readonly action: 'reject' }

/** Reads what a decider said, each member once; `undefined` when it is no decision. */
function checkDecision(said: unknown): CheckedDecision | undefined {
  if (typeof said !== 'object' || said === null) return undefined
  const { action, actor = '', message = '' } = said as { readonly [key: string]: unknown } // proved: it is an object
  if (action === 'reject') return { action }
  if (action !== 'adopt' || typeof actor !== 'string' || typeof message !== 'string') return undefined
  return {
    action,
    actor: headWithin(actor.toWellFormed(), maxActorBytes),
    message: headWithin(message.toWellFormed(), maxMessageBytes),
  }
}
