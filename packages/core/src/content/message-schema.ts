import type { Schema } from '../schema/schema.ts'
import { data } from '../schema/schemas.ts'
import { usageSchema } from '../usage/usage-schema.ts'
import { cappedBlocksSchema } from './block-schema.ts'
import type { AIMessage, Message, SystemMessage, ToolResultMessage, UserMessage } from './message.ts'

/** Reads a stored system message. */
export const systemMessageSchema = data.object<SystemMessage>()({
  role: data.literal('system'),
  blocks: cappedBlocksSchema,
})

/** Reads a stored user message. */
export const userMessageSchema = data.object<UserMessage>()({ role: data.literal('user'), blocks: cappedBlocksSchema })

/** Reads a stored assistant message. */
export const aiMessageSchema = data.object<AIMessage>()({
  role: data.literal('assistant'),
  blocks: cappedBlocksSchema,
  usage: usageSchema.exactOptional(),
  model: data.string().exactOptional(),
})

/** Reads a stored tool result. */
export const toolResultMessageSchema = data.object<ToolResultMessage>()({
  role: data.literal('tool'),
  toolUseId: data.string(),
  isError: data.boolean(),
  blocks: cappedBlocksSchema,
})

/** Reads one stored message; an unknown role is refused, an unknown member is kept. */
export const messageSchema: Schema<Message> = data.byMember<Message>('role', {
  system: systemMessageSchema,
  user: userMessageSchema,
  assistant: aiMessageSchema,
  tool: toolResultMessageSchema,
} satisfies { readonly [M in Message as M['role']]: Schema<M> })
