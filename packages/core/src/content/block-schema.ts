import { z } from 'zod'
import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from '../json/json-value.ts'
import type {
  Block,
  ImageBlock,
  ProviderState,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  ThinkingSeal,
  ToolResultBlock,
  ToolUseBlock,
} from './block.ts'

/** The most blocks that one message or result may hold. */
export const maxBlocks = 10_000

/** Checked and passed on as they are: a schema of records would rebuild them, and drop a member named `__proto__`. */
const jsonValue = z.custom<JsonValue>((value) => isJsonValue(value), 'expected JSON')
const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value) && isJsonValue(value), 'expected a JSON object')

const seal = z.looseObject({ format: z.string(), signature: z.string() })
const state = z.looseObject({ format: z.string(), data: jsonValue })
const text = z.looseObject({ type: z.literal('text'), text: z.string() })
const refusal = z.looseObject({ type: z.literal('refusal'), text: z.string() })
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
const image = z.looseObject({
  type: z.literal('image'),
  mediaType: z.string(),
  data: z.string().exactOptional(),
  url: z.string().exactOptional(),
  name: z.string().exactOptional(),
})
const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  toolUseId: z.string(),
  get content(): z.ZodType<readonly Block[]> {
    return blocksSchema
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
  toolResult,
]) as z.ZodType<Block>

/** Reads the blocks of one message. */
export const blocksSchema: z.ZodType<readonly Block[]> = z.array(blockSchema).max(maxBlocks)

/** Fails to compile when a schema forgets a key of its interface, or has one too many. */
type SameKeys<Schema extends z.ZodObject, Interface> = [keyof Schema['shape']] extends [keyof Interface]
  ? [keyof Interface] extends [keyof Schema['shape']]
    ? true
    : never
  : never

/** Each schema beside its interface, with equal keys: a schema that forgets a field would drop it on restore. */
export const checkedBlockKeys: readonly true[] = [
  true satisfies SameKeys<typeof seal, ThinkingSeal>,
  true satisfies SameKeys<typeof state, ProviderState>,
  true satisfies SameKeys<typeof text, TextBlock>,
  true satisfies SameKeys<typeof refusal, RefusalBlock>,
  true satisfies SameKeys<typeof thinking, ThinkingBlock>,
  true satisfies SameKeys<typeof toolUse, ToolUseBlock>,
  true satisfies SameKeys<typeof image, ImageBlock>,
  true satisfies SameKeys<typeof toolResult, ToolResultBlock>,
]
