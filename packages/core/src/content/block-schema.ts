import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from '../json/json-value.ts'
import type { Fault, Schema } from '../schema/schema.ts'
import { data } from '../schema/schemas.ts'
import type {
  AudioBlock,
  Block,
  DocumentBlock,
  ImageBlock,
  ProviderState,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  ThinkingSeal,
  ToolResultBlock,
  ToolUseBlock,
} from './block.ts'
import { isWithinBlockCap } from './block-size.ts'
import { maxBlockCharacters, maxBlocks, maxResultNesting } from './limits.ts'

const jsonValue = data.where<JsonValue>((value) => isJsonValue(value), 'expected JSON')
const jsonObject = data.where<JsonObject>(
  (value) => isJsonObject(value) && isJsonValue(value),
  'expected a JSON object',
)

const seal = data.object<ThinkingSeal>()({ format: data.string(), signature: data.string() })
const state = data.object<ProviderState>()({ format: data.string(), data: jsonValue })
const text = { text: data.string(), state: state.exactOptional() }
const media = {
  mediaType: data.string(),
  data: data.string().exactOptional(),
  url: data.string().exactOptional(),
  name: data.string().exactOptional(),
  text: data.string().exactOptional(),
  state: state.exactOptional(),
}

const tooDeep: Fault = { path: [], expected: `expected results nested at most ${maxResultNesting} deep` }

/** Asked before the blocks are read: a schema that calls itself must not be led into the depth. */
const shallow = data
  .where<readonly Block[]>(Array.isArray, 'expected a list')
  .and((blocks) => (resultNesting(blocks, maxResultNesting) > maxResultNesting ? tooDeep : undefined))
  .and((blocks) => blocksSchema.faultOf(blocks))

/** Reads one stored block; an unknown `type` is refused, an unknown member is kept. */
export const blockSchema: Schema<Block> = data.byMember<Block>('type', {
  text: data.object<TextBlock>()({ type: data.literal('text'), ...text }),
  refusal: data.object<RefusalBlock>()({ type: data.literal('refusal'), ...text }),
  thinking: data.object<ThinkingBlock>()({ type: data.literal('thinking'), ...text, seal: seal.exactOptional() }),
  tool_use: data.object<ToolUseBlock>()({
    type: data.literal('tool_use'),
    id: data.string(),
    name: data.string(),
    input: jsonObject,
    state: state.exactOptional(),
  }),
  image: data.object<ImageBlock>()({ type: data.literal('image'), ...media }),
  audio: data.object<AudioBlock>()({ type: data.literal('audio'), ...media }),
  document: data.object<DocumentBlock>()({ type: data.literal('document'), ...media }),
  tool_result: data.object<ToolResultBlock>()({
    type: data.literal('tool_result'),
    toolUseId: data.string(),
    content: shallow,
    isError: data.boolean(),
  }),
} satisfies { readonly [B in Block as B['type']]: Schema<B> })

/** Reads the blocks of one message. */
export const blocksSchema: Schema<readonly Block[]> = data.array(blockSchema, { max: maxBlocks })

/** Reads the blocks of one stored message, each of at most `maxBlockCharacters`. */
export const cappedBlocksSchema: Schema<readonly Block[]> = blocksSchema.and((blocks) => {
  const index = blocks.findIndex((block) => !isWithinBlockCap(block))
  if (index < 0) return undefined
  return { path: [index], expected: `expected at most ${maxBlockCharacters} characters of JSON`, isTooLarge: true }
})

/** How deep results lie in each other; not looked for past `most`. */
function resultNesting(blocks: unknown, most: number): number {
  if (!Array.isArray(blocks) || most < 0) return 0
  let deepest = 0
  for (const block of blocks) {
    if (!isJsonObject(block) || block.type !== 'tool_result') continue
    deepest = Math.max(deepest, 1 + resultNesting(block.content, most - 1))
  }
  return deepest
}
