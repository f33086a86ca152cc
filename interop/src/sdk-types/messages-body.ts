/** What a Messages body is, by the request types of `@anthropic-ai/sdk`. */
import type {
  MessageCreateParamsNonStreaming as BetaNonStreaming,
  MessageCreateParamsStreaming as BetaStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages'
import type {
  MessageCreateParamsNonStreaming,
  MessageCreateParamsStreaming,
} from '@anthropic-ai/sdk/resources/messages'

export type Messages = { stream: MessageCreateParamsStreaming; whole: MessageCreateParamsNonStreaming }

/** The same with beta features on: their blocks go back as they came, and only the SDK's beta types know them. */
export type MessagesBeta = { stream: BetaStreaming; whole: BetaNonStreaming }
