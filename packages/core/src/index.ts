export type {
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
} from './content/block.ts'
export { textBlock, textOf } from './content/block.ts'
export { blockSchema, blocksSchema } from './content/block-schema.ts'
export { decodeBlocks, decodeMessage, decodeMessages, parseJson } from './content/decode.ts'
export { maxBlockCharacters, maxBlocks, maxResultNesting } from './content/limits.ts'
export type { MediaBlock, MediaFault, MediaSource } from './content/media.ts'
export { isMediaBlock, mediaBlock, mediaFault } from './content/media.ts'
export type { AIMessage, Message, SystemMessage, ToolResultMessage, UserMessage } from './content/message.ts'
export { userMessage } from './content/message.ts'
export {
  aiMessageSchema,
  messageSchema,
  systemMessageSchema,
  toolResultMessageSchema,
  userMessageSchema,
} from './content/message-schema.ts'
export { assertNever } from './error/assert-never.ts'
export { isLooprigError, LooprigError } from './error/brand.ts'
export type { ContentErrorCode } from './error/errors.ts'
export { ContentError } from './error/errors.ts'
export type {
  EventId,
  GateId,
  Id,
  InputId,
  LoopId,
  SessionId,
  StepId,
  ToolExecutionId,
  TurnId,
  UuidKinds,
} from './id/ids.ts'
export { parseId } from './id/ids.ts'
export { isUuid, uuidV7 } from './id/uuid-v7.ts'
export { canonicalJson } from './json/canonical-json.ts'
export type { JsonObject, JsonValue } from './json/json-value.ts'
export { deepFreeze, isJsonObject, isJsonValue, maxJsonDepth } from './json/json-value.ts'
export { byteLength, headWithin, tailWithin } from './json/text-bounds.ts'
export type { ShapeOf } from './schema/object-schema.ts'
export type { Check, Fault, Optional, Reading } from './schema/schema.ts'
export { Schema } from './schema/schema.ts'
export { data } from './schema/schemas.ts'
export type { Accumulated, RawToolCall } from './stream/accumulator.ts'
export { Accumulator, parseToolInput } from './stream/accumulator.ts'
export type { BlockStart, FinishReason, StreamEvent } from './stream/stream-event.ts'
export type { TranscriptIssue, TranscriptIssueCode } from './transcript/transcript-issue.ts'
export type { ValidateTranscriptOptions } from './transcript/validate-transcript.ts'
export { validateTranscript } from './transcript/validate-transcript.ts'
export type { Usage } from './usage/usage.ts'
export { addUsage, contextTokens, soundUsage, tokenCount, totalTokens } from './usage/usage.ts'
export { usageSchema } from './usage/usage-schema.ts'
