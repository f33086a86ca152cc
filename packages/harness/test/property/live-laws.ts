/** What a session told while it lived, judged by its journal. */
import type { StoredRecord } from '@looprig/store'
import { expect } from 'vitest'
import { decodeEventBody, deliverEvent } from '../../src/event/event-codec.ts'
import type { SessionRecording } from '../../src/testing.ts'
import type { Scene, Told } from './scene.ts'

/** Checks every owner's word, and that what is restored is what was. */
export async function expectTold(scene: Scene, records: readonly StoredRecord[]): Promise<void> {
  for (const [index, told] of scene.told.entries()) {
    await expectJournalled(scene, told, records, index === scene.told.length - 1)
    await expectPreviews(told.live)
  }
  for (const { act, outcome } of await scene.calls.outcomes()) expectCode(act, outcome)
  expect(scene.afterFaults, 'a session that faulted appends nothing').toBe(0)
}

/** What is delivered is in the journal, in its order and without a gap. */
async function expectJournalled(scene: Scene, told: Told, records: readonly StoredRecord[], isLast: boolean) {
  const { deliveries, ended } = told.events
  const journal = records
    .filter(({ kind }) => kind === 'event')
    .map((record) => ({ seq: record.seq, event: deliverEvent(scene.id, record, decodeEventBody(record)) }))
  const heard = deliveries.map(({ seq, event }) => ({ seq, event }))
  expect(heard, 'what is told is the journal').toEqual(isLast ? journal : journal.slice(0, heard.length))
  const failure = await ended
  expect(failure, 'the end of the events is the end of the session').toBe(told.session.fault)
  const reasons = told.isRobbed ? ['fenced', 'store_failed', 'outcome_unknown'] : ['store_failed', 'outcome_unknown']
  if (failure !== undefined) expect(reasons, String(failure.cause ?? failure)).toContain(Reflect.get(failure, 'reason'))
}

/** What is not journalled belongs to a step that is open; a call that starts completes. */
async function expectPreviews({ deliveries, ended }: SessionRecording): Promise<void> {
  if ((await ended) !== undefined) return
  const done = new Set<string>()
  const started: { readonly stepId: string; readonly id: string }[] = []
  const completed: string[] = []
  let seq = 0
  for (const delivery of deliveries) {
    const { event } = delivery
    if (delivery.seq !== null) {
      expect(delivery.seq, 'in the order of seq').toBeGreaterThan(seq)
      seq = delivery.seq
    }
    if (event.type === 'StepDone') done.add(event.stepId)
    else if ('stepId' in event) expect(done.has(event.stepId), `${event.type} after its StepDone`).toBe(false)
    if (event.type === 'ToolCallStarted') started.push({ stepId: event.stepId, id: event.toolExecutionId })
    if (event.type === 'ToolCallCompleted') completed.push(event.toolExecutionId)
  }
  expect(new Set(started.map(({ id }) => id)).size, 'a call starts once').toBe(started.length)
  expect(new Set(completed).size, 'a call completes once').toBe(completed.length)
  // a call that waits for an agent is parked with it
  for (const { stepId, id } of started) if (done.has(stepId)) expect(completed, 'what starts completes').toContain(id)
}

const codes = [
  ...['session_faulted', 'session_closed', 'subscription_loss', 'queue_full', 'unknown_mode', 'model_invalid'],
  ...[
    'already_resolved',
    'gate_not_found',
    'action_invalid',
    'kind_mismatch',
    'gate_expired',
    'session_not_found',
    'loop_not_found',
  ],
]

function expectCode(act: string, outcome: unknown): void {
  if (outcome instanceof Error) expect(codes, `${act}: ${outcome.message}`).toContain(Reflect.get(outcome, 'code'))
}
