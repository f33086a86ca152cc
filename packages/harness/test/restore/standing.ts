/** Where a session stands whose owner is gone: judged from the records alone. */

import { eventsOf, nameOf, type ReadRecord } from './journal-invariants.ts'
import { openTurnsOf } from './open-turns.ts'

/** What lists and readers show of it; lists show nothing before its first input. */
export function standingOf(records: readonly ReadRecord[]): string | undefined {
  const open = eventsOf(records, 'PermissionRequested').length - eventsOf(records, 'GateResolved').length
  if (open > 0) return 'waiting'
  if (openTurnsOf(records).length > 0) return 'interrupted'
  const after: Readonly<Record<string, string>> = {
    TurnDone: 'idle',
    TurnFailed: 'failed',
    TurnInterrupted: 'interrupted',
  }
  const ended = records.map((record) => after[nameOf(record)]).findLast((status) => status !== undefined)
  return ended ?? (records.some(({ kind }) => kind === 'input') ? 'idle' : undefined)
}

/** Says whether it has work for a worker: a turn that ran, or an input for a loop that rests. */
export function hasWork(records: readonly ReadRecord[]): boolean {
  const turns = openTurnsOf(records)
  if (turns.some(({ waits }) => !waits)) return true
  return records.some(({ id, kind, body }) => {
    if (kind !== 'input' || records.some((record) => record.id === `${id}/end`)) return false
    return turns.every(({ loopId }) => loopId !== body.loopId)
  })
}
