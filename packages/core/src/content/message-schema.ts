import { z } from 'zod'
import { usageSchema } from '../usage/usage.ts'
import { blocksSchema } from './block-schema.ts'
import type { AIMessage, Message, SystemMessage, ToolResultMessage, UserMessage } from './message.ts'

/** Reads a stored system message. */
export const systemMessageSchema = z.looseObject({
  role: z.literal('system'),
  blocks: blocksSchema,
}) satisfies z.ZodType<SystemMessage>

/** Reads a stored user message. */
export const userMessageSchema = z.looseObject({
  role: z.literal('user'),
  blocks: blocksSchema,
}) satisfies z.ZodType<UserMessage>

/** Reads a stored assistant message. */
export const aiMessageSchema = z.looseObject({
  role: z.literal('assistant'),
  blocks: blocksSchema,
  usage: usageSchema.exactOptional(),
  model: z.string().exactOptional(),
}) satisfies z.ZodType<AIMessage>

/** Reads a stored tool result. */
export const toolResultMessageSchema = z.looseObject({
  role: z.literal('tool'),
  toolUseId: z.string(),
  isError: z.boolean(),
  blocks: blocksSchema,
}) satisfies z.ZodType<ToolResultMessage>

/** Reads one stored message; an unknown role is refused, an unknown member is kept. */
export const messageSchema: z.ZodType<Message> = z.discriminatedUnion('role', [
  systemMessageSchema,
  userMessageSchema,
  aiMessageSchema,
  toolResultMessageSchema,
])
