import { deepFreeze } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { ToolError, type UserQuestion, validateQuestion } from '@looprig/tools'
import { createDeferred } from '../clock/deferred.ts'
import { newId } from '../clock/id-source.ts'
import type { GateResolved, UserInputRequested } from '../event/gate-event.ts'
import { openGate } from '../gate/open-gate.ts'
import { gateOutcome } from '../hook/call-hooks.ts'
import { eventDraft, stepDraft } from '../journal/record-draft.ts'
import { questionTimeout } from './due-gate.ts'
import { abandoned, type OpenStep, openStepBody } from './open-step.ts'
import type { StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/** The questions of one running call. Each is a gate that anybody may answer; all end with the call. */
export class LiveQuestions {
  readonly #host: TurnHost
  readonly #step: OpenStep
  readonly #call: StepCall
  /** Made with the first question: most calls ask none. */
  #end: AbortController | undefined
  #hasEnded = false

  constructor(host: TurnHost, step: OpenStep, call: StepCall) {
    this.#host = host
    this.#step = step
    this.#call = call
  }

  /** See `CallContext.requestUserInput`; `signal` is that of the call. */
  async ask(asked: UserQuestion, signal: AbortSignal): Promise<string> {
    const question = readQuestion(asked)
    const host = this.#host
    if (host.loop.gate?.headless === true) throw unavailable('nobody is there to answer')
    this.#end ??= new AbortController()
    const ended = AbortSignal.any([signal, this.#end.signal])
    const answered = createDeferred<GateResolved>()
    const event: UserInputRequested = {
      type: 'UserInputRequested',
      ...this.#step.scope,
      gateId: newId(host.ids, 'GateId'),
      toolExecutionId: this.#call.executionId,
      question,
      live: true,
      ...questionTimeout(host.loop.gate),
    }
    let isFull = false
    await host.commit(() => {
      isFull = host.gates.free === 0
      if (isFull || this.#isOver(ended)) return undefined
      return this.#opening(event, answered.resolve)
    })
    host.agents?.changed()
    if (isFull) throw unavailable('too many questions are open')
    const { gateId, toolExecutionId } = event
    const subject = { ...host.hooks.scope, ...this.#step.scope, gateId, toolExecutionId, toolName: this.#call.name }
    const endHooks = host.hooks.begin('gate_wait', () => subject)
    const resolved = await untilAborted(answered.promise, ended)
    endHooks(resolved === undefined ? 'interrupted' : gateOutcome(resolved))
    if (resolved?.reason === 'answered' && resolved.answer !== undefined) return resolved.answer
    if (resolved?.reason === 'timeout')
      throw new ToolError('timed_out', 'timed_out: nobody answered the question in time')
    throw new ToolError('interrupted', 'the question was not answered: the call ended before')
  }

  /** Nothing is asked from here on; what is open stays for the close of the step. */
  end(): void {
    this.#hasEnded = true
    this.#end?.abort()
  }

  /** The call has ended: nothing is asked any more, and what is open is closed. Never rejects. */
  async close(): Promise<void> {
    this.end()
    if (this.#open().length === 0) return
    const closed = this.#host.commit(() => {
      const open = this.#step.closed ? [] : this.#open()
      return open.length === 0 ? undefined : this.#host.gates.close(open.map(abandoned), this.#host.ids, true)
    })
    // a failed append has faulted the session already
    await closed.catch(() => undefined)
  }

  #isOver(ended: AbortSignal): boolean {
    return this.#hasEnded || ended.aborted || this.#step.closed || this.#host.signal.aborted
  }

  #open() {
    // nothing was asked
    if (this.#end === undefined) return []
    const { executionId } = this.#call
    const { stepId } = this.#step.scope
    return this.#host.gates.ofStep(stepId).filter((gate) => gate.toolExecutionId === executionId)
  }

  /** The record of the question, after that of its step: a gate is never of a step that nobody knows. */
  #opening(event: UserInputRequested, resolved: (event: GateResolved) => void) {
    const { ids, gates } = this.#host
    const step = this.#step
    const before = step.recorded ? [] : [stepDraft(openStepBody(step))]
    const decisions = step.decisions.map((decision) => eventDraft(decision, ids))
    return {
      records: [...before, ...decisions, eventDraft(event, ids)],
      head: { status: 'waiting' },
      // its tool runs: the step is closed should this process be lost
      ...gates.wakeAt({ works: true }),
      apply: (stored: readonly StoredRecord[]) => {
        step.recorded = true
        step.decisions = []
        gates.open({ gate: openGate(event, stored.at(-1)?.at ?? 0), resolved })
      },
    } as const
  }
}

function readQuestion(asked: UserQuestion): UserQuestion {
  try {
    const { text, choices } = asked
    const question = { text, ...(choices === undefined ? {} : { choices: [...choices] }) }
    validateQuestion(question)
    return deepFreeze(question)
  } catch (cause) {
    throw new ToolError('question_invalid', 'the question is empty or too long, or its choices are not valid', {
      cause,
    })
  }
}

function unavailable(reason: string): ToolError {
  return new ToolError('unavailable', `unavailable: ${reason}`)
}
