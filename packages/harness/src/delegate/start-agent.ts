import { deepFreeze, userMessage } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import { newId } from '../clock/id-source.ts'
import { eventDraft, inputDraft } from '../journal/record-draft.ts'
import { findMode } from '../loop/effective-loop.ts'
import { History } from '../runtime/history.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import { type Agent, stateOf } from './agent.ts'
import { answerResult, deliveredResult, refusedResult, timedOutResult } from './agent-answer.ts'
import type { AgentCall } from './agent-controller.ts'
import type { AgentHost } from './agent-host.ts'
import type { StartAgentRequest } from './agent-request.ts'
import { awaitAnswer } from './await-answer.ts'
import { type CallInStep, callInStep, recordStep, roomOf } from './call-in-step.ts'
import { Errand } from './errand.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/**
 * Starts an agent for a call, once: its loop, its request and its first turn are one append, which stands for the `run`
 * record of the call. Then waits for its answer, unless the call does not.
 */
export async function startAgent(
  host: AgentHost,
  parent: LoopRuntime,
  call: AgentCall,
  request: StartAgentRequest,
): Promise<ToolResult> {
  const place = callInStep(parent, call)
  if (place === undefined) return refusedResult('StartAgent', 'interrupt_pending', 'the turn of this call is over')
  const errand = host.directory.errandOf(call.executionId) ?? (await begin(host, place, call, request))
  if (!(errand instanceof Errand)) return refusedResult('StartAgent', errand.code, errand.reason)
  if (errand.isBackground) return deliveredResult(errand.agent, 'working', undefined, roomOf(place))
  host.changed()
  const awaited = await awaitAnswer(errand, host.clock, call.signal, request.timeoutSeconds * 1_000)
  if (awaited.came === 'answer') return answerResult(errand.agent, awaited.answer, stateOf(errand.agent), roomOf(place))
  if (awaited.came === 'left') return deliveredResult(errand.agent, 'working', 'accepted_pending', roomOf(place))
  return stopInTime(errand, place)
}

/** Its time is up: it is stopped, unless its answer is on its way to the journal. */
async function stopInTime(errand: Errand, place: CallInStep): Promise<ToolResult> {
  const { agent, inputId } = errand
  if (agent.loop.turnOf(inputId) !== undefined) await agent.loop.stop('interrupt')
  const { result } = errand
  if (result === undefined || result.status === 'interrupted') return timedOutResult()
  return answerResult(agent, result, stateOf(agent), roomOf(place))
}

async function begin(
  host: AgentHost,
  place: CallInStep,
  call: AgentCall,
  request: StartAgentRequest,
): Promise<Errand | Refusal> {
  const { parent, caller } = place
  const { agentType, mode, name } = request
  const definition = parent.definition.delegates.includes(agentType) ? host.definition(agentType) : undefined
  if (definition === undefined) return { code: 'unknown_agent', reason: 'there is no agent of this type' }
  if (mode !== undefined && findMode(definition, mode) === undefined) {
    return { code: 'unknown_mode', reason: 'the agent has no such mode' }
  }
  const refused = refusalOf(host, place, call.signal) ?? spreadRefusal(host, parent)
  if (refused !== undefined) return refused
  const loopId = newId(host.ids, 'LoopId')
  const tools = await untilAborted(host.build(definition, loopId), call.signal).catch(() => 'failed' as const)
  if (tools === 'failed') return { code: 'agent_unavailable', reason: 'its tools could not be built' }
  if (tools === undefined) return { code: 'interrupt_pending', reason: 'the turn of this call is being stopped' }
  const choice = { mode: mode ?? definition.initialMode }
  const history = new History()
  const loop = host.create({ id: loopId, definition, tools, history, turnIndex: 0, queue: [], choice })
  host.seat(loop, tools)
  const agent: Agent = { agentId: loopId, name: name ?? definition.name, loop, parent }
  const from = request.wait ? caller : ({ ...caller, background: true } as const)
  const errand = new Errand(newId(host.ids, 'InputId'), agent, from)
  const message = deepFreeze(userMessage(request.instructions))
  let late: Refusal | undefined
  await host.log.commit(() => {
    late = refusalOf(host, place, call.signal) ?? spreadRefusal(host, parent)
    if (late !== undefined) return undefined
    const labelled = name === undefined ? {} : { label: name }
    const inMode = choice.mode === '' ? {} : { mode: choice.mode }
    const started = {
      type: 'LoopStarted',
      loopId,
      name: definition.name,
      ...inMode,
      parent: from,
      ...labelled,
    } as const
    const { inputId } = errand
    const body = { loopId, agency: 'machine', blocks: message.blocks, noFold: true, caller: from } as const
    return joinDrafts(
      recordStep(place, host.ids),
      {
        records: [eventDraft(started, host.ids), inputDraft(inputId, body)],
        apply: () => {
          host.directory.add(agent)
          host.directory.open(errand)
          host.started(loop)
        },
      },
      loop.accept({ inputId, message, agency: 'machine', noFold: true }),
    )
  })
  return late ?? errand
}

/** Why no further agent may start below this loop. Stopped agents count: a model cannot start them without end. */
function spreadRefusal({ directory, limits }: AgentHost, parent: LoopRuntime): Refusal | undefined {
  if (directory.levelOf(parent.id) + 1 >= limits.depth) {
    return { code: 'agent_depth_exceeded', reason: `agents may be ${limits.depth - 1} deep; do it yourself` }
  }
  if (directory.started >= limits.quota) {
    return { code: 'agent_quota_exceeded', reason: `all ${limits.quota} agents of this session were started` }
  }
  return undefined
}
