import {
  addUsage,
  assertNever,
  deepFreeze,
  type GateId,
  type InputId,
  type LoopId,
  textOf,
  type UserMessage,
} from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import type { AgentCaller } from '../delegate/agent-caller.ts'
import { foldOutcome, foldRequest } from '../delegate/fold-request.ts'
import { JournalError } from '../error/errors.ts'
import type { EnduringEvent } from '../event/event.ts'
import { decodeBody } from '../event/event-codec.ts'
import type { GateResolved } from '../event/gate-event.ts'
import type { TurnDone, TurnFailed, TurnInterrupted } from '../event/turn-event.ts'
import type { JournalEntry } from '../journal/read-journal.ts'
import { inputBodySchema, runBodySchema, runEndBodySchema, stepBodySchema } from '../journal/record-body.ts'
import { chooseMode, chooseModel } from '../loop/loop-choice.ts'
import { holdsOutput } from '../output/read-output.ts'
import type { Manifest } from '../rig/manifest.ts'
import { type SessionStatus, titleOf } from '../rig/session-head.ts'
import { rejectedResult } from '../runtime/input-queue.ts'
import { digestInput, turnResult } from '../session/input-tracker.ts'
import type { TurnResult } from '../session/submission.ts'
import type { StoredResolution } from './gate-fold.ts'
import { LoopFold, type StepFold } from './loop-fold.ts'

/** One input as the records tell it. */
export interface InputFold {
  readonly inputId: InputId
  /** The loop that it is for. */
  readonly loopId: LoopId
  readonly digest: string
  /** The call whose request to an agent it is. */
  readonly caller?: AgentCaller | undefined
  /** The agent of which it tells. */
  readonly from?: LoopId | undefined
  /** A resource of the session sent it. */
  readonly notice?: true | undefined
  result: TurnResult | undefined
}

/** A session's state, folded from its records in seq order. The same records always give the same state. */
export class SessionFold {
  readonly loops = new Map<LoopId, LoopFold>()
  readonly inputs = new Map<InputId, InputFold>()
  /** How every gate that is closed was resolved. */
  readonly resolvedGates = new Map<GateId, Pick<GateResolved, 'reason' | 'action' | 'answer'>>()
  manifest: Manifest | undefined
  tip = 0
  title = ''
  status: SessionStatus = 'idle'
  /** Nothing may follow: the session is not to be restored. */
  stopped = false
  #activeLoopId: LoopId | undefined

  /** The loop that takes inputs: the one that was chosen last, else the first. */
  get inputLoop(): LoopFold {
    const [first] = this.loops.values()
    const active = this.#activeLoopId === undefined ? first : this.loops.get(this.#activeLoopId)
    if (active === undefined) throw new JournalError('journal_invalid', this.tip, 'the session has no loop')
    return active
  }

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
      case 'ConfigurationAdopted':
        this.manifest = event.config
        return
      case 'LoopStarted':
        this.loops.set(event.loopId, new LoopFold(event.loopId, event.name, event.mode, event))
        return
      case 'TurnStarted':
        this.#loop(record, event.loopId).startTurn(record.seq, event)
        this.status = 'running'
        return
      case 'TurnFoldedInto':
        this.#loop(record, event.loopId).fold(record.seq, event)
        return
      case 'StepDone':
        this.#loop(record, event.loopId).finishStep(record.seq, event)
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
      case 'TurnRejected':
        this.#loop(record, event.loopId).queue.delete(event.inputId)
        this.#settle(rejectedResult(event.inputId, event.reason, event.detail))
        return
      case 'LoopModeChanged': {
        const loop = this.#loop(record, event.loopId)
        loop.choice = chooseMode(loop.choice, event.mode)
        return
      }
      case 'LoopInferenceChanged': {
        const loop = this.#loop(record, event.loopId)
        loop.choice = chooseModel(loop.choice, event.model)
        return
      }
      case 'PermissionRequested':
      case 'UserInputRequested':
        this.#step(record, event.loopId)?.gates.ask(event)
        this.status = 'waiting'
        return
      case 'GateResolved':
        this.#resolveGate(record, event)
        return
      case 'CompactionCommitted':
        if (this.#loop(record, event.loopId).compact(event)) return
        throw new JournalError('journal_invalid', record.seq, 'a compaction of another history')
      case 'CompactionRejected': {
        const loop = this.#loop(record, event.loopId)
        loop.usage = addUsage(loop.usage, event.usage ?? {})
        return
      }
      case 'ActiveLoopChanged':
        this.#activeLoopId = this.#loop(record, event.active).loopId
        return
      case 'SessionStopped':
        this.#stop()
        return
      case 'SessionActive':
      case 'SessionIdle':
      case 'LoopIdle':
      case 'PermissionDecided':
      case 'ProcessStarted':
      case 'ProcessBackgrounded':
      case 'ProcessStopRequested':
      case 'ProcessCompleted':
      case 'ProcessLost':
        return
      default:
        assertNever(event, 'event')
    }
  }

  /** What waits ends with its session. */
  #stop(): void {
    this.stopped = true
    this.status = 'stopped'
    for (const { queue } of this.loops.values()) {
      for (const inputId of queue.keys()) this.#settle({ status: 'cancelled', inputId, text: '', usage: {} })
      queue.clear()
    }
  }

  #takePrivate(record: StoredRecord): void {
    if (record.kind === 'input') {
      // who hands over an input too late is told so
      if (!this.stopped) this.#takeInput(record)
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
    const { loopId, blocks, agency, noFold, caller, from, notice } = deepFreeze(decodeBody(record, inputBodySchema))
    const inputId = record.id.slice('in/'.length) as InputId // proved: `inputDraft` made the record's id
    const message = deepFreeze<UserMessage>({ role: 'user', blocks })
    this.#loop(record, loopId).queue.set(inputId, { inputId, message, agency, noFold: noFold === true })
    this.inputs.set(inputId, { inputId, loopId, digest: digestInput(blocks), caller, from, notice, result: undefined })
    if (caller !== undefined) foldRequest(this.loops, loopId, inputId, caller)
    if (this.title === '' && notice !== true) this.title = titleOf(textOf(blocks)) || 'untitled'
  }

  #endTurn(record: StoredRecord, event: TurnDone | TurnFailed | TurnInterrupted): void {
    const loop = this.#loop(record, event.loopId)
    const { turn } = loop
    loop.turn = undefined
    const status = event.type === 'TurnDone' ? 'done' : event.type === 'TurnFailed' ? 'failed' : 'interrupted'
    this.status = this.#openStatus() ?? (status === 'done' ? 'idle' : status)
    const isStructured = event.type === 'TurnDone' && event.structured === true
    if (isStructured && !holdsOutput(turn?.lastMessage)) {
      throw new JournalError('journal_invalid', record.seq, 'an answer that is no output')
    }
    for (const inputId of [event.inputId, ...(turn?.folded ?? [])]) {
      this.#settle(
        turnResult({
          status,
          inputId,
          turnId: event.turnId,
          message: turn?.lastMessage,
          usage: turn?.usage ?? {},
          error: event.type === 'TurnFailed' ? event.error : undefined,
          isStructured,
        }),
      )
    }
  }

  #resolveGate(record: StoredRecord, event: StoredResolution): void {
    const step = this.#step(record, event.loopId)
    step?.gates.resolve(event)
    if (step?.gates.open.size === 0) this.status = this.#openStatus() ?? 'running'
    const { reason, action, answer } = event
    const said = { ...(action === undefined ? {} : { action }), ...(answer === undefined ? {} : { answer }) }
    this.resolvedGates.set(event.gateId, { reason, ...said })
  }

  /** Where the turns that are open stand together; nothing when there is none. */
  #openStatus(): 'waiting' | 'running' | undefined {
    const open = [...this.loops.values()].flatMap(({ turn }) => turn ?? [])
    if (open.length === 0) return undefined
    return open.some(({ step }) => step !== undefined && step.gates.open.size > 0) ? 'waiting' : 'running'
  }

  #settle(result: TurnResult): void {
    const input = this.inputs.get(result.inputId)
    if (input === undefined) return
    input.result = result
    if (input.caller !== undefined) foldOutcome(this.loops, input.loopId, input.caller, result)
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
