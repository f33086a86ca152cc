import { createDeferred } from '../clock/deferred.ts'
import { eventDraft, stepDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import { listenAtGate } from './gate-listener.ts'
import { type OpenStep, openStepBody } from './open-step.ts'
import { refuseOverCapacity } from './refuse-over-capacity.ts'
import { saveRules } from './save-rules.ts'
import type { StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * Has people decide what a step still waits for, until nothing is open. Gates that are due open together in one append,
 * and are answered in any order; the rules of an `approve_always` are written when its answer is durable. Returns early
 * when the turn is stopped; the gates stay open then, for the close or for a restore.
 *
 * Gates that a restore found open are answerable again before the first wait.
 */
export async function askPerson(host: TurnHost, step: OpenStep): Promise<void> {
  let changed = createDeferred<void>()
  const listen = (call: StepCall) =>
    listenAtGate(host, step, call, () => {
      changed.resolve()
      if (!isAsking(step)) host.setWaiting(false)
    })
  for (const call of step.calls) if (call.gate?.state === 'open') listen(call)
  if (!isAsking(step)) return
  if (step.calls.some((call) => call.gate?.state === 'open')) host.setWaiting(true)
  while (!host.signal.aborted) {
    const due = step.calls.filter((call) => call.gate?.state === 'due')
    const [saving] = step.calls.filter((call) => call.saving !== undefined)
    if (due.length > 0) await openGates(host, step, due, listen)
    else if (saving !== undefined) {
      host.setSaving(step.calls.every(({ gate }) => gate?.state !== 'open'))
      await saveRules(host, step, saving)
      host.setSaving(false)
    } else if (isAsking(step)) await untilAborted(changed.promise, host.signal)
    else break
    changed = createDeferred()
  }
  if (!isAsking(step)) host.setWaiting(false)
}

/** Says whether a call of the step still waits for a person, or for what follows from an answer. */
export function isAsking(step: OpenStep): boolean {
  return step.calls.some(({ gate, saving }) => saving !== undefined || gate?.state === 'open' || gate?.state === 'due')
}

/** Makes the gates that are due durable in one append; what is over the session's capacity is denied in the same. */
async function openGates(
  host: TurnHost,
  step: OpenStep,
  due: readonly StepCall[],
  listen: (call: StepCall) => void,
): Promise<void> {
  const opensUntil = await expiryOfFirst(host, due)
  await host.commit((): Draft | undefined => {
    if (host.signal.aborted) return undefined
    const opened = due.slice(0, host.gates.free)
    const refused = refuseOverCapacity(step, due.slice(opened.length))
    const requests = opened.flatMap((call) => (call.gate === undefined ? [] : [{ call, gate: call.gate }]))
    const decisions = [...step.decisions, ...refused.decisions].map((decision) => eventDraft(decision, host.ids))
    const before = step.recorded ? decisions : [stepDraft(openStepBody(step, refused.results)), ...decisions]
    return {
      records: [...before, ...requests.map(({ gate }) => eventDraft(gate.asked, host.ids))],
      ...(requests.length === 0 ? {} : opening(host, opensUntil)),
      apply: (stored) => {
        step.recorded = true
        step.decisions = []
        refused.apply()
        for (const [index, { call, gate }] of requests.entries()) {
          gate.state = 'open'
          gate.at = stored[before.length + index]?.at ?? 0
          listen(call)
        }
        if (requests.length > 0) host.setWaiting(true)
      },
    }
  })
}

/** What opening gates makes of the session, should its owner be lost: it waits, unless other loops have work. */
function opening(host: TurnHost, opensUntil: number | undefined): Omit<Draft, 'records'> {
  return {
    head: { status: 'waiting' },
    ...host.gates.wakeAt({ opening: opensUntil, works: host.worksBeside() }),
  }
}

/**
 * When the first of some gates would be over if it opened now, in the store's time; nothing where none has a limit. It
 * is for workers that look for sessions without an owner, so that a store that cannot tell keeps no gate from opening.
 */
async function expiryOfFirst(host: TurnHost, due: readonly StepCall[]): Promise<number | undefined> {
  const limits = due.flatMap(({ gate }) => gate?.asked.timeoutMs ?? [])
  if (limits.length === 0) return undefined
  const now = await host.gates.now().catch(() => undefined)
  return now === undefined ? undefined : now + Math.min(...limits)
}
