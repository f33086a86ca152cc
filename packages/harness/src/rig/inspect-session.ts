import { addUsage, deepFreeze, type SessionId, type Usage } from '@looprig/core'
import type { Store } from '@looprig/store'
import { JournalError } from '../error/errors.ts'
import { openGate } from '../gate/open-gate.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import type { LoopFold, StepFold, TurnFold } from '../restore/loop-fold.ts'
import { readSession } from '../restore/read-session.ts'
import { knownResult } from '../restore/repair.ts'
import type { CallInspection, LoopInspection, SessionInspection, TurnInspection } from './session-inspection.ts'

/**
 * Reads where a session stands, whoever owns it: takes no lease, repairs nothing, appends nothing. The tip is fixed at
 * the start, so that an owner who writes meanwhile does not blur the picture.
 *
 * @throws SessionError `session_not_found`, JournalError, StoreError.
 */
export async function inspectSession(store: Store, id: SessionId): Promise<SessionInspection> {
  const fold = await readSession(store.ledger, id)
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
  const { loopId, name, choice, history, turnIndex, queue, turn, parent, label } = loop
  return {
    loopId,
    name,
    ...(parent === undefined ? {} : { parent }),
    ...(label === undefined ? {} : { label }),
    mode: choice.mode,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    history: history.messages(),
    turnIndex,
    queued: [...queue.values()].map(({ inputId, message }) => ({ inputId, message })),
    ...(turn === undefined ? {} : { turn: inspectTurn(turn) }),
    usage: sumUsage(loop),
  }
}

function inspectTurn({ turnId, inputId, turnIndex, step }: TurnFold): TurnInspection {
  const calls = step?.body.calls.map((call) => inspectCall(step, call)) ?? []
  const gates = [...(step?.gates.open.values() ?? [])].map((asked) => openGate(asked, asked.createdAt))
  return { turnId, inputId, turnIndex, calls, gates }
}

function inspectCall(step: StepFold, call: StepCallBody): CallInspection {
  const { executionId, toolUseId, name } = call
  const result = knownResult(step, call)
  const started = step.runs.has(executionId)
  return { executionId, toolUseId, name, started, ...(result === undefined ? {} : { result }) }
}

function sumUsage({ usage, turn }: LoopFold): Usage {
  return addUsage(usage, turn?.step?.body.message.usage ?? {})
}
