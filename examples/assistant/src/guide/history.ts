import { type JsonObject, type Message, type ToolResultMessage, textOf } from '@looprig/core'

/** One tool call of the transcript, with its result once there is one. */
export interface SeenCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly result?: { readonly text: string; readonly isError: boolean }
}

/** One question and what followed it. `steps` holds the calls of each response that made calls. */
export interface Turn {
  readonly question: string
  readonly steps: readonly (readonly SeenCall[])[]
  readonly answer: string
}

/** Reads a transcript as turns, oldest first: each user message begins one. The last is the present one. */
export function readTurns(messages: readonly Message[]): readonly Turn[] {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []))
  return starts.map((start, turn) => readTurn(messages.slice(start, starts[turn + 1])))
}

function readTurn(messages: readonly Message[]): Turn {
  let question = ''
  let answer = ''
  const steps: SeenCall[][] = []
  messages.forEach((message, index) => {
    if (message.role === 'user') question = textOf(message.blocks)
    if (message.role !== 'assistant') return
    const calls = message.blocks.filter((block) => block.type === 'tool_use')
    const results = resultsAfter(messages, index)
    if (calls.length === 0) answer = textOf(message.blocks)
    else steps.push(calls.map(({ id, name, input }) => ({ id, name, input, ...results.get(id) })))
  })
  return { question, steps, answer }
}

/** Ids of calls are unique within their message only, so a result belongs to the response right before it. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, Pick<SeenCall, 'result'>> {
  const results = new Map<string, Pick<SeenCall, 'result'>>()
  for (const message of messages.slice(index + 1)) {
    if (message.role !== 'tool') break
    results.set(message.toolUseId, { result: readResult(message) })
  }
  return results
}

function readResult({ blocks, isError }: ToolResultMessage): { text: string; isError: boolean } {
  return { text: textOf(blocks), isError }
}
