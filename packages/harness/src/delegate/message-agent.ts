import { deepFreeze, userMessage } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import { newId } from '../clock/id-source.ts'
import { inputDraft } from '../journal/record-draft.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import { type Agent, stateOf } from './agent.ts'
import { answerResult, deliveredResult, refusedResult } from './agent-answer.ts'
import type { AgentCall } from './agent-controller.ts'
import type { AgentHost } from './agent-host.ts'
import type { MessageAgentRequest } from './agent-request.ts'
import { awaitAnswer } from './await-answer.ts'
import { type CallInStep, callInStep, recordStep, roomOf } from './call-in-step.ts'
import { Errand } from './errand.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/**
 * Gives an agent one more request, once: the record of its input stands for the `run` record of the call. An agent at
 * work takes it into its turn where it can. Then waits for the answer, unless the call does not.
 */
export async function messageAgent(
  host: AgentHost,
  parent: LoopRuntime,
  call: AgentCall,
  request: MessageAgentRequest,
): Promise<ToolResult> {
  const place = callInStep(parent, call)
  if (place === undefined) return refusedResult('MessageAgent', 'interrupt_pending', 'the turn of this call is over')
  const errand = host.directory.errandOf(call.executionId) ?? (await send(host, place, call, request))
  if (!(errand instanceof Errand)) return refusedResult('MessageAgent', errand.code, errand.reason)
  const { agent } = errand
  if (errand.isBackground) return deliveredResult(agent, 'working', deliveryOf(errand), roomOf(place))
  host.changed()
  const awaited = await awaitAnswer(errand, host.clock, call.signal, request.timeoutSeconds * 1_000)
  if (awaited.came === 'answer') return answerResult(agent, awaited.answer, stateOf(agent), roomOf(place))
  // only the waiting ends: the agent goes on
  errand.isAwaited = false
  return deliveredResult(agent, 'working', 'accepted_pending', roomOf(place))
}

/** Whether the agent works on it already. */
function deliveryOf({ agent, inputId, result }: Errand): 'accepted' | 'accepted_pending' {
  return result !== undefined || agent.loop.turnOf(inputId) !== undefined ? 'accepted' : 'accepted_pending'
}

async function send(
  host: AgentHost,
  place: CallInStep,
  call: AgentCall,
  request: MessageAgentRequest,
): Promise<Errand | Refusal> {
  const agent = host.directory.childOf(place.parent.id, request.agentId)
  if (agent === undefined) return { code: 'not_owned', reason: 'you started no agent with this id' }
  const caller = request.wait ? place.caller : ({ ...place.caller, background: true } as const)
  const errand = new Errand(newId(host.ids, 'InputId'), agent, caller)
  const message = deepFreeze(userMessage(request.message))
  let refused: Refusal | undefined
  await host.log.commit(() => {
    refused = refusalOf(host, place, call.signal) ?? inboxRefusal(place.parent, agent)
    if (refused !== undefined) return undefined
    const { inputId } = errand
    const body = { loopId: agent.agentId, agency: 'machine', blocks: message.blocks, caller } as const
    return joinDrafts(
      recordStep(place, host.ids),
      { records: [inputDraft(inputId, body)], apply: () => host.directory.open(errand) },
      agent.loop.accept({ inputId, message, agency: 'machine', noFold: false }),
    )
  })
  return refused ?? errand
}

function inboxRefusal(parent: LoopRuntime, { loop }: Agent): Refusal | undefined {
  if (!parent.definition.delegates.includes(loop.definition.name)) {
    return { code: 'agent_unavailable', reason: 'you may not use agents of this type any more' }
  }
  if (loop.queueIsFull) return { code: 'queue_full', reason: 'too many messages wait for it; wait for an answer' }
  return undefined
}
