/**
 * A model without state: what it answers is spelled out by the last user message, so that it goes on after any restore.
 * A message is `do` and then one word per response; what is left unsaid is a text.
 */
import type { StreamEvent } from '@looprig/core'
import { type Message, textOf } from '@looprig/core'
import { type InferenceClient, InferenceError, type InferenceRequest } from '@looprig/inference'
import { summaryText } from '../context/context-session.ts'
import { delivered, streamingClient, textEvents } from '../session/open-session.ts'

/** One call of a response. */
interface Call {
  readonly name: string
  /** Its arguments as text. */
  readonly args: string
}

const call = (name: string, input: object = {}): Call => ({ name, args: JSON.stringify(input) })
const tool = (name: string, count = 1): readonly Call[] =>
  Array.from({ length: count }, (_, index) => call(name, { value: `${name}${index}` }))

/** What each word stands for; the part behind a colon is what an agent is told, with `+` for spaces. */
const calls: Readonly<Record<string, (told: string, agentId: string) => readonly Call[]>> = {
  work: () => tool('work', 2),
  slow: () => [...tool('slow', 2), ...tool('work')],
  look: () => tool('look', 2),
  ask: () => tool('ask', 2),
  rule: () => tool('rule', 2),
  both: () => [...tool('work'), ...tool('ask'), ...tool('rule'), ...tool('look')],
  pick: () => tool('pick'),
  chat: () => [...tool('chat'), ...tool('work')],
  wait: () => [...tool('wait'), ...tool('work')],
  deaf: () => [...tool('deaf'), ...tool('work')],
  late: () => tool('late'),
  never: () => [...tool('never'), ...tool('work')],
  bad: () => [{ name: 'work', args: '{"value":' }, call('none'), ...tool('ask')],
  agent: (told) => [startAgent(told)],
  agents: (told) => [startAgent(told), ...tool('work'), startAgent(told)],
  back: (told) => [startAgent(told, false)],
  deep: (told) => [startAgent(`agent:${told}`)],
  tell: (told, id) => [call('MessageAgent', { agent_id: id, message: `do ${told}` })],
  post: (told, id) => [call('MessageAgent', { agent_id: id, message: `do ${told}`, wait_for_response: false })],
  halt: (_, id) => [call('StopAgent', { agent_id: id })],
  list: () => [call('ListAgents')],
}

/** The words that make a turn; those of agents among them need a part behind a colon. */
export const plainWords: readonly string[] = Object.keys(calls).slice(0, 13)
export const agentWords: readonly string[] = ['agent', 'agents', 'back', 'deep', 'tell', 'post']

function startAgent(told: string, waits = true): Call {
  return call('StartAgent', { agent_type: 'helper', instructions: `do ${told}`, wait_for_response: waits })
}

/** Answers every request by its last user message, and requests of a summary by their length. */
export function playedClient(): InferenceClient {
  return streamingClient(async function* (_n, _signal, request): AsyncGenerator<StreamEvent, void, undefined> {
    const asked = textOf(request.messages[0]?.blocks ?? [])
    if (request.messages.length === 1 && asked.startsWith('<history>')) {
      await delivered()
      yield* textEvents(asked.length % 4 === 0 ? 'no summary' : summaryText)
    } else {
      const word = nextWord(request)
      if (word === 'fail') throw new InferenceError('overloaded', 'too busy')
      if (word === 'empty') return
      yield* textEvents(`so ${'x'.repeat(400)}`)
      await delivered()
      if (word === 'break') throw new InferenceError('network', 'lost')
      for (const [index, { name, args }] of callsOf(word, request).entries()) {
        // the ids repeat on purpose
        yield { type: 'block_start', blockIndex: index + 1, block: { type: 'tool_use', id: 'id', name } }
        yield { type: 'tool_input_delta', blockIndex: index + 1, text: args }
        yield { type: 'block_end', blockIndex: index + 1 }
      }
    }
    const inputTokens = Math.ceil(JSON.stringify(request.messages).length / 4)
    yield { type: 'finish', reason: 'stop', usage: { inputTokens, outputTokens: 10 } }
  })
}

function callsOf(word: string, { messages }: InferenceRequest): readonly Call[] {
  const [name = '', told = ''] = word.split(/:(.*)/s)
  return calls[name]?.(told.replaceAll('+', ' '), lastAgent(messages)) ?? []
}

function nextWord({ messages }: InferenceRequest): string {
  const start = messages.findLastIndex((message) => message.role === 'user')
  const [first, ...words] = textOf(messages[start]?.blocks ?? []).split(' ')
  const given = messages.slice(start).filter((message) => message.role === 'assistant').length
  return first === 'do' ? (words[given] ?? 'text') : 'text'
}

/** The agent that the transcript names last. */
function lastAgent(messages: readonly Message[]): string {
  const said = messages.map(({ blocks }) => textOf(blocks)).join('\n')
  return [...said.matchAll(/"agent_id":"([^"]+)"/g)].at(-1)?.[1] ?? 'nobody'
}
