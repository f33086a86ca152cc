import { z } from 'zod'
import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from '../json/json-value.ts'
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
import type { SameKeys } from './same-keys.ts'

/** Checked and passed on as they are: a schema of records would rebuild them, and drop a member named `__proto__`. */
const jsonValue = z.custom<JsonValue>((value) => isJsonValue(value), 'expected JSON')
const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value) && isJsonValue(value), 'expected a JSON object')

const seal = z.looseObject({ format: z.string(), signature: z.string() })
const state = z.looseObject({ format: z.string(), data: jsonValue })
const text = z.looseObject({ type: z.literal('text'), text: z.string(), state: state.exactOptional() })
const refusal = z.looseObject({ type: z.literal('refusal'), text: z.string(), state: state.exactOptional() })
const thinking = z.looseObject({
  type: z.literal('thinking'),
  text: z.string(),
  seal: seal.exactOptional(),
  state: state.exactOptional(),
})
const toolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: jsonObject,
  state: state.exactOptional(),
})
const media = {
  mediaType: z.string(),
  data: z.string().exactOptional(),
  url: z.string().exactOptional(),
  name: z.string().exactOptional(),
  text: z.string().exactOptional(),
  state: state.exactOptional(),
}
const image = z.looseObject({ type: z.literal('image'), ...media })
const audio = z.looseObject({ type: z.literal('audio'), ...media })
const document = z.looseObject({ type: z.literal('document'), ...media })
/** Asked before the blocks are read: a schema that calls itself must not be led into the depth. */
const shallow = z.custom<unknown>(
  (value) => resultNesting(value, maxResultNesting) <= maxResultNesting,
  `expected results nested at most ${maxResultNesting} deep`,
)
const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  toolUseId: z.string(),
  get content(): z.ZodType<readonly Block[]> {
    return shallow.pipe(blocksSchema)
  },
  isError: z.boolean(),
})

/** Reads one stored block; an unknown `type` is refused, an unknown member is kept. */
export const blockSchema: z.ZodType<Block> = z.discriminatedUnion('type', [
  text,
  refusal,
  thinking,
  toolUse,
  image,
  audio,
  document,
  toolResult,
]) as z.ZodType<Block>

/** Reads the blocks of one message. */
export const blocksSchema: z.ZodType<readonly Block[]> = z.array(blockSchema).max(maxBlocks)

/** Reads the blocks of one stored message, each of at most `maxBlockCharacters`. */
export const cappedBlocksSchema: z.ZodType<readonly Block[]> = blocksSchema.superRefine((blocks, context) => {
  const index = blocks.findIndex((block) => !isWithinBlockCap(block))
  if (index < 0) return
  const message = `expected at most ${maxBlockCharacters} characters of JSON`
  context.addIssue({ code: 'too_big', origin: 'string', maximum: maxBlockCharacters, path: [index], message })
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

/** Each schema beside its interface, with equal keys: a schema that forgets a field would drop it on restore. */
export const checkedBlockKeys: readonly true[] = [
  true satisfies SameKeys<typeof seal, ThinkingSeal>,
  true satisfies SameKeys<typeof state, ProviderState>,
  true satisfies SameKeys<typeof text, TextBlock>,
  true satisfies SameKeys<typeof refusal, RefusalBlock>,
  true satisfies SameKeys<typeof thinking, ThinkingBlock>,
  true satisfies SameKeys<typeof toolUse, ToolUseBlock>,
  true satisfies SameKeys<typeof image, ImageBlock>,
  true satisfies SameKeys<typeof audio, AudioBlock>,
  true satisfies SameKeys<typeof document, DocumentBlock>,
  true satisfies SameKeys<typeof toolResult, ToolResultBlock>,
]
