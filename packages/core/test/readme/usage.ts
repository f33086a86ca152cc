import { Accumulator, aiMessageSchema, ContentError, type StreamEvent, textOf } from '@looprig/core'

const events: StreamEvent[] = [
  { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
  { type: 'text_delta', blockIndex: 0, text: 'Reading ' },
  { type: 'text_delta', blockIndex: 0, text: 'notes.' },
  { type: 'block_end', blockIndex: 0 },
  { type: 'block_start', blockIndex: 1, block: { type: 'tool_use', id: 'call_1', name: 'ReadFile' } },
  { type: 'tool_input_delta', blockIndex: 1, text: '{"path":"notes.md"}' },
  { type: 'block_end', blockIndex: 1 },
  { type: 'finish', reason: 'tool_use', usage: { inputTokens: 20, outputTokens: 9 } },
]

export function foldAndRestore(): string {
  const accumulator = new Accumulator()
  for (const event of events) accumulator.add(event)
  const { message, toolCalls } = accumulator.result()

  const stored = JSON.stringify(message)
  const restored = aiMessageSchema.safeParse(JSON.parse(stored))
  if (!restored.success) throw new ContentError('content_invalid', 'message', 'expected a stored assistant message')
  return `${textOf(restored.data.blocks)} ${toolCalls[0]?.argsJson}`
}
