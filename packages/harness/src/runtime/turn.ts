import { finishStep, type StepTaken, takeStep } from './take-step.ts'
import { failedEnd, type TurnEnd } from './turn-end.ts'
import type { TurnHost } from './turn-host.ts'
import { noProgress } from './turn-progress.ts'
import { openRequests, type TurnRequests } from './turn-requests.ts'
import type { TurnResume } from './turn-resume.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * Runs one turn: ask the model, run the calls it wants, commit the step, until it answers without a call. A turn that is
 * resumed begins with the calls of its open step, whose limits were checked before the step was recorded.
 */
export async function runTurn(host: TurnHost, resume?: TurnResume): Promise<TurnEnd> {
  let taken: StepTaken = { progress: noProgress, end: undefined }
  if (resume !== undefined) taken = await finishStep(host, resume)
  let requests: TurnRequests | undefined
  while (taken.end === undefined) {
    const opened = requests ?? (await untilAborted(openRequests(host), host.signal))
    if (opened === undefined || host.signal.aborted) return stopped
    if ('error' in opened) return failedEnd(opened.error)
    requests = opened
    const end = host.atBoundary && (await reachBoundary(host, requests, host.atBoundary))
    if (end !== undefined) return end
    taken = await takeStep(host, requests, taken.progress)
  }
  return taken.end
}

/** The end of a turn that was stopped with no step open. */
const stopped: TurnEnd = Object.freeze({ outcome: 'interrupted', step: () => [] })

/** Between two steps: the one moment at which history may be replaced. */
async function reachBoundary(
  host: TurnHost,
  requests: TurnRequests,
  atBoundary: NonNullable<TurnHost['atBoundary']>,
): Promise<TurnEnd | undefined> {
  const fault = await untilAborted(
    atBoundary(() => requests.next()),
    host.signal,
  )
  if (host.signal.aborted) return stopped
  return fault === undefined ? undefined : failedEnd(fault)
}
