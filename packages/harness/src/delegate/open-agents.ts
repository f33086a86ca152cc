import type { InputId, LoopId, ToolExecutionId, ToolResultMessage } from '@looprig/core'
import type { EnduringBody } from '../event/event.ts'
import type { LoopFold, StepFold, TurnFold } from '../restore/loop-fold.ts'
import type { InputFold, SessionFold } from '../restore/session-fold.ts'
import { shapeResult } from '../runtime/result-message.ts'
import { type AgentState, answerResult, answerRoom, deliveredResult } from './agent-answer.ts'
import type { AgentCaller } from './agent-caller.ts'
import type { OpenErrand } from './errand.ts'
import { identityOf, stepOf } from './fold-request.ts'
import { type HandBack, makeHandBack } from './hand-back.ts'

/** Says of a loop whether its open turn goes on. */
export type GoesOn = (loopId: LoopId) => boolean

/** The loops of a session, agents before the loops that started them. */
export function agentsFirst(fold: SessionFold): readonly LoopFold[] {
  const levelOf = ({ parent }: LoopFold): number => {
    const above = parent === undefined ? undefined : fold.loops.get(parent.loopId)
    return above === undefined ? 0 : 1 + levelOf(above)
  }
  return [...fold.loops.values()]
    .map((loop) => ({ loop, level: levelOf(loop) }))
    .toSorted((a, b) => b.level - a.level)
    .map(({ loop }) => loop)
}

/** Whether a step has calls that wait for agents, and whether all of these go on: each of them waits for a person. */
export function agentsOfStep(fold: SessionFold, step: StepFold, goesOn: GoesOn): 'none' | 'go_on' | 'end' {
  const open = openRequests(fold, step)
  if (open.length === 0) return 'none'
  return open.every(({ input }) => goesOn(input.loopId) && isInTurn(fold, input)) ? 'go_on' : 'end'
}

/** An agent works for the call that began its turn: says whether that call, if it waits, goes on too. */
export function callerGoesOn(fold: SessionFold, { inputId }: TurnFold, goesOn: GoesOn): boolean {
  const caller = fold.inputs.get(inputId)?.caller
  return caller === undefined || !isAwaited(fold, caller) || goesOn(caller.loopId)
}

/** What closing a step means for the agents that its calls wait for. */
export interface ClosedRequests {
  /** The ends of requests that wait behind another turn of their agent: nobody would read the answer. */
  readonly events: readonly EnduringBody[]
  /** The results of the calls: what became of an agent is never unknown. */
  readonly results: ReadonlyMap<ToolExecutionId, ToolResultMessage>
}

/** Ends the requests of a step that is closed. The agents' own turns were decided on before. */
export function closeRequests(fold: SessionFold, step: StepFold, goesOn: GoesOn): ClosedRequests {
  const events: EnduringBody[] = []
  const results = new Map<ToolExecutionId, ToolResultMessage>()
  for (const { executionId, toolUseId, input } of openRequests(fold, step)) {
    const { inputId, loopId } = input
    const agent = fold.loops.get(loopId)
    if (agent === undefined) continue
    const identity = identityOf(agent)
    const room = answerRoom(step.body.calls.length)
    const waiting = agent.queue.get(inputId)
    // what waits behind a turn that is closed too ends with that
    if (waiting !== undefined && (agent.turn === undefined || goesOn(loopId))) {
      const { message } = waiting
      events.push({ type: 'InputCancelled', loopId, inputId, reason: 'turn_interrupted', message })
    }
    const status = waiting === undefined ? 'interrupted' : 'cancelled'
    const state: AgentState = goesOn(loopId) ? 'working' : 'idle'
    const result =
      status === 'interrupted' && goesOn(loopId)
        ? deliveredResult(identity, 'working', 'accepted_pending', room)
        : answerResult(identity, { status, inputId, text: '', usage: {} }, state, room)
    results.set(executionId, shapeResult(toolUseId, result, room.journalBytes).message)
  }
  return { events, results }
}

/** What tells the parent of an agent that its turn is closed, as far as nobody waits for it. */
export function handBackClosed(fold: SessionFold, agent: LoopFold, turn: TurnFold): readonly HandBack[] {
  const { parent } = agent
  if (parent === undefined || !fold.loops.has(parent.loopId)) return []
  const inputId = [turn.inputId, ...turn.folded].find((id) => fold.inputs.get(id)?.caller?.background === true)
  if (inputId === undefined) return []
  const answer = { status: 'interrupted', inputId, turnId: turn.turnId, text: '', usage: {} } as const
  return [makeHandBack(parent.loopId, identityOf(agent), answer, agent.queue.size > 0 ? 'working' : 'idle')]
}

/** The requests to agents that have no outcome. */
export function openErrands(fold: SessionFold): readonly OpenErrand[] {
  return [...fold.inputs.values()].flatMap(({ inputId, loopId, caller, result }) =>
    caller === undefined || result !== undefined
      ? []
      : [{ inputId, agentId: loopId, caller, isAwaited: isAwaited(fold, caller) }],
  )
}

/** The requests of a step whose calls have no result. */
function openRequests(fold: SessionFold, step: StepFold) {
  return step.body.calls.flatMap(({ executionId, toolUseId }) => {
    const inputId = step.ends.has(executionId) ? undefined : step.agents.get(executionId)
    const input = inputId === undefined ? undefined : fold.inputs.get(inputId)
    return input === undefined ? [] : [{ executionId, toolUseId, input }]
  })
}

function isInTurn(fold: SessionFold, { inputId, loopId }: InputFold): boolean {
  const turn = fold.loops.get(loopId)?.turn
  return turn !== undefined && [turn.inputId, ...turn.folded].includes(inputId)
}

/** A call waits for what it asked for while its step is open and it has no result. */
function isAwaited({ loops }: SessionFold, caller: AgentCaller): boolean {
  const step = stepOf(loops, caller)
  return caller.background !== true && step !== undefined && !step.ends.has(caller.toolExecutionId)
}

/** Says whether an input tells of an agent or of a process, or asks an agent in the background: a restore keeps it for its loop. */
export function isKept(fold: SessionFold, inputId: InputId): boolean {
  const { from, caller, notice } = fold.inputs.get(inputId) ?? {}
  return from !== undefined || caller?.background === true || notice === true
}
