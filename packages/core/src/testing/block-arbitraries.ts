import type { Arbitrary } from 'fast-check'
import type {
  Block,
  ProviderState,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../content/block.ts'
import type { MediaBlock } from '../content/media.ts'
import type { FastCheck } from './fast-check.ts'
import type { ValueArbitraries } from './value-arbitraries.ts'

/** Generators of blocks. */
export interface BlockArbitraries {
  readonly textBlock: Arbitrary<TextBlock>
  readonly refusal: Arbitrary<RefusalBlock>
  readonly thinking: Arbitrary<ThinkingBlock>
  readonly toolUse: Arbitrary<ToolUseBlock>
  /** A picture, a recording or a file that breaks no rule. */
  readonly media: Arbitrary<MediaBlock>
  readonly toolResult: Arbitrary<ToolResultBlock>
  /** Any block that a model's response can have; ids of calls may repeat. */
  readonly responseBlock: Arbitrary<Block>
  /** Any block. */
  readonly block: Arbitrary<Block>
}

const formats = ['anthropic', 'anthropic-redacted-thinking', 'bedrock-converse', 'gemini', 'openai-responses', 'x']
/** As providers make them, and as they should not. */
const callIds = [
  'toolu_01A',
  'call_0',
  'call_1',
  'functions.f:0',
  'gemini/1',
  'x',
  'ü 1',
  'D681PevKs',
  `c${'1'.repeat(70)}`,
]
const toolNames = [
  'ReadFile',
  'add',
  'web.search',
  'mcp__files__list',
  'ns/tool',
  'find it',
  '工具',
  `t${'o'.repeat(130)}l`,
]

const sources: readonly Pick<MediaBlock, 'type' | 'mediaType'>[] = [
  { type: 'image', mediaType: 'image/png' },
  { type: 'image', mediaType: 'image/webp' },
  { type: 'image', mediaType: 'image/svg+xml' },
  { type: 'audio', mediaType: 'audio/wav' },
  { type: 'audio', mediaType: 'audio/flac' },
  { type: 'document', mediaType: 'application/pdf' },
  { type: 'document', mediaType: 'text/plain' },
  { type: 'document', mediaType: 'application/zip' },
]

/** Makes the generators of blocks. */
export function blockArbitraries(fc: FastCheck, values: ValueArbitraries): BlockArbitraries {
  const { text, json, jsonObject } = values
  const format = fc.constantFrom(...formats)
  const state: Arbitrary<ProviderState> = fc.record({ format, data: json }, { noNullPrototype: true })
  const signature = fc.base64String({ minLength: 4, maxLength: 12 })
  const seal = fc.record({ format, signature }, { noNullPrototype: true })
  const textBlock = fc
    .record({ text, state }, { requiredKeys: ['text'] })
    .map((parts): TextBlock => ({ type: 'text', ...parts }))
  const refusal = fc
    .record({ text, state }, { requiredKeys: ['text'] })
    .map((parts): RefusalBlock => ({ type: 'refusal', ...parts }))
  const thinking = fc
    .record({ text, seal, state }, { requiredKeys: ['text'] })
    .map((parts): ThinkingBlock => ({ type: 'thinking', ...parts }))
  const toolUse = fc
    .record(
      { id: fc.constantFrom(...callIds), name: fc.constantFrom(...toolNames), input: jsonObject, state },
      { requiredKeys: ['id', 'name', 'input'] },
    )
    .map((parts): ToolUseBlock => ({ type: 'tool_use', ...parts }))
  const media = fc
    .record(
      {
        kind: fc.constantFrom(...sources),
        source: fc.constantFrom({ data: 'aGk=' }, { url: 'https://example.org/a' }, { url: 'gs://bucket/a' }),
        name: fc.constantFrom('a.png', 'the file (1).pdf'),
        text,
        state,
      },
      { requiredKeys: ['kind', 'source'] },
    )
    .map(({ kind, source, ...rest }) => ({ ...kind, ...source, ...rest }) as MediaBlock) // proved: the kinds differ in `type` alone
  const responseBlock = fc.oneof<Arbitrary<Block>[]>(textBlock, refusal, thinking, toolUse, media)
  const toolResult = fc
    .record({
      toolUseId: fc.constantFrom(...callIds),
      content: fc.array(fc.oneof<Arbitrary<Block>[]>(textBlock, media), { maxLength: 3 }),
      isError: fc.boolean(),
    })
    .map((parts): ToolResultBlock => ({ type: 'tool_result', ...parts }))
  return {
    textBlock,
    refusal,
    thinking,
    toolUse,
    media,
    toolResult,
    responseBlock,
    block: fc.oneof<Arbitrary<Block>[]>(responseBlock, toolResult),
  }
}
