import { addUsage, deepFreeze, isUuid, type SessionId, type Usage } from '@looprig/core'
import type { Store } from '@looprig/store'
import { JournalError, SessionError } from '../error/errors.ts'
import type { PermissionRequested } from '../event/gate-event.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import type { LoopFold, StepFold, TurnFold } from '../restore/loop-fold.ts'
import { knownResult } from '../restore/repair.ts'
import { SessionFold } from '../restore/session-fold.ts'
import type { OpenGate } from '../session/session.ts'
import type { CallInspection, LoopInspection, SessionInspection, TurnInspection } from './session-inspection.ts'

/**
 * Reads where a session stands, whoever owns it: takes no lease, repairs nothing, appends nothing. The tip is fixed at
 * the start, so that an owner who writes meanwhile does not blur the picture.
 *
 * @throws SessionError `session_not_found`, JournalError, StoreError.
 */
export async function inspectSession(store: Store, id: SessionId): Promise<SessionInspection> {
  const fold = new SessionFold()
  if (isUuid(id)) for await (const entry of readJournal(store.ledger, id)) fold.take(entry)
  if (fold.tip === 0) throw new SessionError('session_not_found', 'no such session')
  const { manifest, title, tip } = fold
  if (manifest === undefined) throw new JournalError('journal_invalid', 1, 'the session has no manifest')
  const owner = await ownerAt(store, id, tip)
  const status = owner === 'none' && fold.status === 'running' ? 'interrupted' : fold.status
  const loops = [...fold.loops.values()].map(inspectLoop)
  return deepFreeze({ id, owner, status, title, manifest, tip, loops })
}

/**
 * A lease that is free by now says nothing of the tip when records came after it: their owner lived at the tip or took
 * over from there, and what was open then was no crash that a person could act on.
 */
async function ownerAt({ ledger, leases }: Store, id: SessionId, tip: number): Promise<SessionInspection['owner']> {
  if (await leases.isHeld(id)) return 'live'
  const now = await ledger.find(id)
  return now?.tip === tip ? 'none' : 'live'
}

function inspectLoop(loop: LoopFold): LoopInspection {
  const { loopId, name, history, turnIndex, queue, turn } = loop
  return {
    loopId,
    name,
    history,
    turnIndex,
    queued: [...queue].map(([inputId, message]) => ({ inputId, message })),
    ...(turn === undefined ? {} : { turn: inspectTurn(turn) }),
    usage: sumUsage(loop),
  }
}

function inspectTurn({ turnId, inputId, turnIndex, step }: TurnFold): TurnInspection {
  const calls = step?.body.calls.map((call) => inspectCall(step, call)) ?? []
  const gates = [...(step?.openGates.values() ?? [])].map(openGate)
  return { turnId, inputId, turnIndex, calls, gates }
}

function inspectCall(step: StepFold, call: StepCallBody): CallInspection {
  const { executionId, toolUseId, name } = call
  const result = knownResult(step, call)
  const started = step.runs.has(executionId)
  return { executionId, toolUseId, name, started, ...(result === undefined ? {} : { result }) }
}

/** The gate without the envelope of its event. */
function openGate(asked: PermissionRequested): OpenGate {
  const { loopId, turnId, stepId, gateId, toolExecutionId, request, unmet, actions } = asked
  return { loopId, turnId, stepId, gateId, toolExecutionId, request, unmet, actions }
}

function sumUsage({ history, turn }: LoopFold): Usage {
  let sum: Usage = turn?.step?.body.message.usage ?? {}
  for (const message of history) if (message.role === 'assistant') sum = addUsage(sum, message.usage ?? {})
  return sum
}
