/** The models of the rich session: they answer by what they are asked, so that they can go on after any restore. */
import { type Message, textOf } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import { writeSummary } from '../../src/context/summary-document.ts'
import { strictClient } from '../../src/testing.ts'

/** What a model answers, by the question and by how many answers it gave to it already. */
export type Script = Readonly<Record<string, readonly ScriptedResponse[]>>

/** Of the loop that people talk to. */
export const mainScript: Script = {
  work: [
    {
      text: 'First the notes.',
      toolCalls: [
        { id: 'n1', name: 'Note', input: { what: 'a', kind: 'free' } },
        { id: 'n2', name: 'Note', input: { what: 'b', kind: 'free' } },
        { id: 'n3', name: 'Slow', input: { what: 'c' } },
        { id: 'n4', name: 'Slow', input: { what: 'd' } },
        { id: 'n5', name: 'Missing', input: {} },
      ],
    },
    {
      thinking: 'Two of these need a person.',
      toolCalls: [
        { id: 'g1', name: 'Note', input: { what: 'e', kind: 'ask' } },
        { id: 'g2', name: 'Note', input: { what: 'f', kind: 'ask' } },
        { id: 'g3', name: 'Note', input: { what: 'g', kind: 'free' } },
        { id: 'g4', name: 'Note', input: { what: 'h', kind: 'never' } },
        { id: 'g5', name: 'Look', input: {} },
        { id: 'g6', name: 'Look', rawInput: '{"broken' },
      ],
    },
    { toolCalls: [{ id: 'l1', name: 'Look', input: {} }] },
    { text: 'All is noted.' },
  ],
  next: [{ thinking: 'Hm.', text: 'Next.' }],
  fails: [{ text: 'It begins', error: { code: 'overloaded', afterText: true } }],
  behind: [{ text: 'Behind.' }],
  delegate: [
    {
      text: 'Two scouts for this.',
      toolCalls: [
        { id: 'd1', name: 'Note', input: { what: 'i', kind: 'free' } },
        { id: 'd2', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'survey' } },
        {
          id: 'd3',
          name: 'StartAgent',
          input: { agent_type: 'scout', instructions: 'guard', wait_for_response: false },
        },
      ],
    },
    { text: 'All is surveyed and guarded.' },
  ],
  plain: [{ text: 'Yes.' }],
}

/** Of its agents: one that it waits for and that asks a person, while the other one works in the background. */
export const scoutScript: Script = {
  survey: [
    { toolCalls: [{ id: 's1', name: 'Note', input: { what: 'j', kind: 'free' } }] },
    { toolCalls: [{ id: 's2', name: 'Note', input: { what: 'k', kind: 'ask' } }] },
    { text: 'Surveyed.' },
  ],
  guard: [{ toolCalls: [{ id: 'w1', name: 'Slow', input: { what: 'l' } }] }, { text: 'Guarded.' }],
}

const summary = writeSummary({
  goal: 'Note everything.',
  constraints: '',
  decisions: '',
  state: 'Some of it is noted.',
  open_items: '',
})

/** A model that takes only good requests. `asked` gets each of them first. */
export function richClient(script: Script, asked: (request: InferenceRequest) => void): InferenceClient {
  const respond = (request: InferenceRequest) => {
    asked(request)
    return scriptedClient([answerTo(request.messages, script)])
  }
  return strictClient({
    stream: (request, options) => respond(request).stream(request, options),
    invoke: (request, options) => respond(request).invoke(request, options),
  })
}

function answerTo(messages: readonly Message[], script: Script): ScriptedResponse {
  if (messages.length === 1 && said(messages[0]).startsWith('<history>')) return { text: summary }
  const asked = messages.findLastIndex(isQuestion)
  const given = messages.slice(asked).filter(({ role }) => role === 'assistant').length
  return script[said(messages[asked])]?.[given] ?? { text: 'Again.' }
}

/** What is said meanwhile, and what is told of agents, is none and changes no answer. */
function isQuestion(message: Message): boolean {
  return message.role === 'user' && said(message) !== 'also' && !said(message).startsWith('{')
}

function said(message: Message | undefined): string {
  return textOf(message?.blocks ?? [])
}
