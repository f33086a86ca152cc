import type { InputId, LoopId } from '@looprig/core'
import { deepFreeze, userMessage } from '@looprig/core'
import type { InputBody } from '../journal/record-body.ts'
import { inputDraft } from '../journal/record-draft.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'
import { type AgentIdentity, type AgentState, handBackText } from './agent-answer.ts'
import { handBackId } from './hand-back-id.ts'

/** The input that tells a parent what became of a request that nobody waits for. */
export interface HandBack {
  readonly inputId: InputId
  readonly body: InputBody
}

/** Makes the hand-back of a turn, or of a request that never had one. The same outcome always makes the same input. */
export function makeHandBack(parentId: LoopId, agent: AgentIdentity, answer: TurnResult, state: AgentState): HandBack {
  const { blocks } = userMessage(handBackText(agent, answer, state, answer.inputId))
  const inputId = handBackId(answer.turnId ?? answer.inputId)
  return { inputId, body: { loopId: parentId, agency: 'machine', blocks, from: agent.agentId } }
}

/** Hands them back: they are never refused, since what an agent did must not be lost. */
export function handBackDraft(parent: LoopRuntime, handBacks: readonly HandBack[]): Draft {
  const drafts = handBacks.map(({ inputId, body }, index) => {
    const message = deepFreeze({ role: 'user' as const, blocks: body.blocks })
    const input = { inputId, message, agency: 'machine', noFold: false } as const
    // only one of them can begin a turn
    const accepted = index === 0 ? parent.accept(input) : parent.acceptBehind(input)
    return joinDrafts({ records: [inputDraft(inputId, body)] }, accepted)
  })
  return joinDrafts(...drafts)
}
