import { assertNever, deepFreeze, type GateId, type InputId, type LoopId, textOf } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { JournalError } from '../error/errors.ts'
import type { EnduringEvent } from '../event/event.ts'
import { decodeBody } from '../event/event-codec.ts'
import type { GateAction, GateResolved, PermissionRequested } from '../event/gate-event.ts'
import type { TurnDone, TurnFailed, TurnInterrupted } from '../event/turn-event.ts'
import type { JournalEntry } from '../journal/read-journal.ts'
import { inputBodySchema, runBodySchema, runEndBodySchema, stepBodySchema } from '../journal/record-body.ts'
import type { Manifest } from '../rig/manifest.ts'
import { type SessionStatus, titleOf } from '../rig/session-head.ts'
import { digestInput, turnResult } from '../session/input-tracker.ts'
import type { TurnResult } from '../session/submission.ts'
import { LoopFold, type StepFold } from './loop-fold.ts'

/** One input as the records tell it. */
export interface InputFold {
  readonly inputId: InputId
  readonly digest: string
  result: TurnResult | undefined
}

/** A session's state, folded from its records in seq order. The same records always give the same state. */
export class SessionFold {
  readonly loops = new Map<LoopId, LoopFold>()
  readonly inputs = new Map<InputId, InputFold>()
  readonly resolvedGates = new Map<GateId, GateAction | undefined>()
  manifest: Manifest | undefined
  tip = 0
  title = ''
  status: SessionStatus = 'idle'
  /** Nothing may follow: the session is not to be restored. */
  stopped = false

  /**
   * Takes the next record.
   *
   * @throws JournalError when it breaks the rules of a journal.
   */
  take({ record, event }: JournalEntry): void {
    if (record.seq !== this.tip + 1) throw new JournalError('journal_invalid', record.seq, 'a record is missing')
    if (record.seq === 1 && event?.type !== 'SessionStarted') {
      throw new JournalError('journal_invalid', record.seq, 'a journal begins with SessionStarted')
    }
    this.tip = record.seq
    if (event !== undefined) this.#takeEvent(record, event)
    else this.#takePrivate(record)
  }

  #takeEvent(record: StoredRecord, event: EnduringEvent): void {
    switch (event.type) {
      case 'SessionStarted':
        this.manifest = event.config
        return
      case 'LoopStarted':
        this.loops.set(event.loopId, new LoopFold(event.loopId, event.name))
        return
      case 'TurnStarted':
        this.#loop(record, event.loopId).startTurn(event)
        this.status = 'running'
        return
      case 'StepDone':
        this.#loop(record, event.loopId).finishStep(event)
        return
      case 'TurnDone':
      case 'TurnFailed':
      case 'TurnInterrupted':
        this.#endTurn(record, event)
        return
      case 'InputCancelled':
        this.#loop(record, event.loopId).queue.delete(event.inputId)
        this.#settle({ status: 'cancelled', inputId: event.inputId, text: '', usage: {} })
        return
      case 'PermissionRequested':
        this.#step(record, event.loopId)?.openGates.set(event.gateId, event)
        this.status = 'waiting'
        return
      case 'GateResolved':
        this.#resolveGate(record, event)
        return
      case 'SessionStopped':
        this.stopped = true
        this.status = 'stopped'
        return
      case 'SessionActive':
      case 'SessionIdle':
      case 'LoopIdle':
      case 'PermissionDecided':
        return
      default:
        assertNever(event, 'event')
    }
  }

  #takePrivate(record: StoredRecord): void {
    if (record.kind === 'input') {
      this.#takeInput(record)
      return
    }
    if (record.kind === 'step') {
      const body = deepFreeze(decodeBody(record, stepBodySchema))
      this.#loop(record, body.loopId).openStep(body)
      return
    }
    if (record.id.endsWith('/end')) {
      const { loopId, executionId, result } = decodeBody(record, runEndBodySchema)
      this.#step(record, loopId)?.ends.set(executionId, deepFreeze(result))
      return
    }
    const { loopId, executionId } = decodeBody(record, runBodySchema)
    this.#step(record, loopId)?.runs.add(executionId)
  }

  #takeInput(record: StoredRecord): void {
    const { loopId, blocks } = deepFreeze(decodeBody(record, inputBodySchema))
    const inputId = record.id.slice('in/'.length) as InputId // proved: `inputDraft` made the record's id
    this.#loop(record, loopId).queue.set(inputId, deepFreeze({ role: 'user', blocks }))
    this.inputs.set(inputId, { inputId, digest: digestInput(blocks), result: undefined })
    if (this.title === '') this.title = titleOf(textOf(blocks)) || 'untitled'
  }

  #endTurn(record: StoredRecord, event: TurnDone | TurnFailed | TurnInterrupted): void {
    const loop = this.#loop(record, event.loopId)
    const { turn } = loop
    loop.turn = undefined
    const status = event.type === 'TurnDone' ? 'done' : event.type === 'TurnFailed' ? 'failed' : 'interrupted'
    this.status = status === 'done' ? 'idle' : status
    this.#settle(
      turnResult({
        status,
        inputId: event.inputId,
        turnId: event.turnId,
        message: turn?.lastMessage,
        usage: turn?.usage ?? {},
        error: event.type === 'TurnFailed' ? event.error : undefined,
      }),
    )
  }

  #resolveGate(record: StoredRecord, event: GateResolved): void {
    const step = this.#step(record, event.loopId)
    const asked: PermissionRequested | undefined = step?.openGates.get(event.gateId)
    step?.openGates.delete(event.gateId)
    if (step?.openGates.size === 0) this.status = 'running'
    if (asked !== undefined && event.action === 'deny') step?.denied.set(event.toolExecutionId, asked)
    this.resolvedGates.set(event.gateId, event.action)
  }

  #settle(result: TurnResult): void {
    const input = this.inputs.get(result.inputId)
    if (input !== undefined) input.result = result
  }

  #loop(record: StoredRecord, loopId: LoopId): LoopFold {
    const loop = this.loops.get(loopId)
    if (loop === undefined) throw new JournalError('journal_invalid', record.seq, 'it names a loop that did not start')
    return loop
  }

  #step(record: StoredRecord, loopId: LoopId): StepFold | undefined {
    return this.#loop(record, loopId).turn?.step
  }
}
