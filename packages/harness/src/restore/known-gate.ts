import type { GateId } from '@looprig/core'
import type { KnownGate } from '../gate/check-answer.ts'
import { openGate } from '../gate/open-gate.ts'
import type { SessionFold } from './session-fold.ts'

/** What the journal says of a gate: what a process that does not own the session judges an answer by. */
export function knownGate(fold: SessionFold, gateId: GateId): KnownGate | undefined {
  const resolved = fold.resolvedGates.get(gateId)
  if (resolved !== undefined) return { resolved }
  for (const { turn } of fold.loops.values()) {
    const asked = turn?.step?.gates.open.get(gateId)
    if (asked !== undefined) return { open: openGate(asked, asked.createdAt) }
  }
  return undefined
}
