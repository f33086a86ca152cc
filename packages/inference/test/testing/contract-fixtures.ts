import { readFileSync } from 'node:fs'
import type { CodecFixture } from '@looprig/inference/testing'
import { streamOf } from '../codec/bedrock-converse/decoded.ts'

/** A response that the tests of a codec keep in both forms. */
export function fixtureOf(folder: string, name: string): CodecFixture {
  const read = (ending: string) => readFileSync(new URL(`../${folder}/${name}.${ending}`, import.meta.url), 'utf8')
  return { name, stream: read('sse'), whole: read('json') }
}

const piece = (contentBlockIndex: number, delta: object) => ['contentBlockDelta', { contentBlockIndex, delta }] as const
const call = { toolUseId: 'tooluse_1', name: 'find' }
const usage = { inputTokens: 12, outputTokens: 9, totalTokens: 21 }

/** A text and a call of Bedrock. */
export const bedrockFixture: CodecFixture = {
  name: 'text and a call',
  stream: streamOf(
    ['messageStart', { role: 'assistant' }],
    piece(0, { text: 'Grüße 👋🏽, ' }),
    piece(0, { text: '東京' }),
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: call } }],
    piece(1, { toolUse: { input: '{"what":' } }),
    piece(1, { toolUse: { input: '"ключ"}' } }),
    ['contentBlockStop', { contentBlockIndex: 1 }],
    ['messageStop', { stopReason: 'tool_use' }],
    ['metadata', { usage, metrics: { latencyMs: 5 } }],
  ),
  whole: JSON.stringify({
    output: {
      message: {
        role: 'assistant',
        content: [{ text: 'Grüße 👋🏽, 東京' }, { toolUse: { ...call, input: { what: 'ключ' } } }],
      },
    },
    stopReason: 'tool_use',
    usage,
  }),
}
