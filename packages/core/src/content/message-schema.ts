import { z } from 'zod'
import { usageSchema } from '../usage/usage-schema.ts'
import { cappedBlocksSchema } from './block-schema.ts'
import type { AIMessage, Message, SystemMessage, ToolResultMessage, UserMessage } from './message.ts'
import type { SameKeys } from './same-keys.ts'

/** Reads a stored system message. */
export const systemMessageSchema = z.looseObject({
  role: z.literal('system'),
  blocks: cappedBlocksSchema,
}) satisfies z.ZodType<SystemMessage>

/** Reads a stored user message. */
export const userMessageSchema = z.looseObject({
  role: z.literal('user'),
  blocks: cappedBlocksSchema,
}) satisfies z.ZodType<UserMessage>

/** Reads a stored assistant message. */
export const aiMessageSchema = z.looseObject({
  role: z.literal('assistant'),
  blocks: cappedBlocksSchema,
  usage: usageSchema.exactOptional(),
  model: z.string().exactOptional(),
}) satisfies z.ZodType<AIMessage>

/** Reads a stored tool result. */
export const toolResultMessageSchema = z.looseObject({
  role: z.literal('tool'),
  toolUseId: z.string(),
  isError: z.boolean(),
  blocks: cappedBlocksSchema,
}) satisfies z.ZodType<ToolResultMessage>

/** Reads one stored message; an unknown role is refused, an unknown member is kept. */
export const messageSchema: z.ZodType<Message> = z.discriminatedUnion('role', [
  systemMessageSchema,
  userMessageSchema,
  aiMessageSchema,
  toolResultMessageSchema,
])

/** Each schema beside its interface, with equal keys: a schema that forgets a field would drop it on restore. */
export const checkedMessageKeys: readonly true[] = [
  true satisfies SameKeys<typeof systemMessageSchema, SystemMessage>,
  true satisfies SameKeys<typeof userMessageSchema, UserMessage>,
  true satisfies SameKeys<typeof aiMessageSchema, AIMessage>,
  true satisfies SameKeys<typeof toolResultMessageSchema, ToolResultMessage>,
]
