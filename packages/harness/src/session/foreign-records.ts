import { deepFreeze, type InputId, textOf } from '@looprig/core'
import { JournalError, SessionFaultedError } from '../error/errors.ts'
import { decodeBody } from '../event/event-codec.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { JournalEntry } from '../journal/read-journal.ts'
import { inputBodySchema } from '../journal/record-body.ts'
import { titleOf } from '../rig/session-head.ts'
import type { LoopDirectory } from './loop-directory.ts'
import type { SessionInputs } from './session-inputs.ts'
import type { ForeignRecords } from './session-log.ts'
import type { TurnResult } from './submission.ts'

/** What a session's foreign records change. */
export interface ForeignTargets {
  readonly loops: LoopDirectory
  readonly gates: GateDirectory
  readonly inputs: SessionInputs
  /** An input has its outcome. */
  settled(result: TurnResult): void
  /** All that were found are taken: something may be there to begin. */
  taken(): void
}

/** Takes the records that need no lease: inputs, the ends of those that wait, and answers to gates. */
export function foreignRecords({ loops, gates, inputs, settled, taken }: ForeignTargets): ForeignRecords {
  let title: string | undefined
  const takeInput = ({ record }: JournalEntry) => {
    const { loopId, blocks, agency, noFold } = deepFreeze(decodeBody(record, inputBodySchema))
    const loop = loops.find(loopId)
    if (loop === undefined) throw new JournalError('journal_invalid', record.seq, 'it names a loop that did not start')
    const inputId = record.id.slice('in/'.length) as InputId // proved: `inputDraft` made the record's id
    inputs.takeForeign(inputId, blocks)
    title ??= titleOf(textOf(blocks)) || 'untitled'
    loop.enqueue({ inputId, message: deepFreeze({ role: 'user', blocks }), agency, noFold: noFold === true })
  }
  return {
    take: (entry) => {
      const { record, event } = entry
      if (record.kind === 'input') takeInput(entry)
      else if (event?.type === 'InputCancelled') {
        loops.find(event.loopId)?.forget(event.inputId)
        settled({ status: 'cancelled', inputId: event.inputId, text: '', usage: {} })
      } else if (event?.type === 'GateResolved') gates.resolve(event)
      else {
        // only an owner writes this: another one took the session over, and is seen before an append is refused
        const cause = new JournalError('journal_invalid', record.seq, 'only an owner may write this')
        throw new SessionFaultedError('fenced', { cause })
      }
    },
    taken,
    head: () => {
      const isWaiting = gates.list().length > 0
      const isRunning = loops.all().some(({ active }) => active !== undefined)
      return {
        ...(title === undefined ? {} : { title }),
        ...(isWaiting ? { status: 'waiting' } : isRunning ? { status: 'running' } : {}),
      }
    },
  }
}
