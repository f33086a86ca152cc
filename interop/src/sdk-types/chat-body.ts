/**
 * What a Chat Completions body is, by the request types of the `openai` SDK. A dialect is that and what its server has
 * besides: each addition is declared here, so that nothing else gets past the check.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions'

/** A body as OpenAI itself takes it; Azure, xAI, LM Studio and plain servers take no more. */
export type Chat = { stream: ChatCompletionCreateParamsStreaming; whole: ChatCompletionCreateParamsNonStreaming }

type WithMessages<Message, More = unknown, Replaced extends string = never> = {
  stream: Omit<ChatCompletionCreateParamsStreaming, 'messages' | Replaced> & { messages: Message[] } & More
  whole: Omit<ChatCompletionCreateParamsNonStreaming, 'messages' | Replaced> & { messages: Message[] } & More
}

type NotAssistant = Exclude<ChatCompletionMessageParam, { role: 'assistant' }>

/** DeepSeek and Moonshot: a past answer carries its thinking, which their models want back in a tool loop. */
export type ChatReasoningContent = WithMessages<
  NotAssistant | (ChatCompletionAssistantMessageParam & { reasoning_content?: string })
>

/** Groq, Ollama and vLLM: the same under another name. */
export type ChatReasoning = WithMessages<NotAssistant | (ChatCompletionAssistantMessageParam & { reasoning?: string })>

/** Gemini's compatible endpoint: a call carries the signature of the thought that led to it. */
export type ChatGemini = WithMessages<
  | NotAssistant
  | (Omit<ChatCompletionAssistantMessageParam, 'tool_calls'> & {
      tool_calls?: (ChatCompletionMessageFunctionToolCall & {
        extra_content?: { google?: { thought_signature?: string } }
      })[]
    })
>

type Cached<Part> = Part & { cache_control?: { type: 'ephemeral'; ttl?: '5m' | '1h' } }

/** OpenRouter: cache markers on parts, thinking told in an object, and thinking that goes back as it came. */
export type ChatOpenRouter = WithMessages<
  | (Omit<ChatCompletionSystemMessageParam, 'content'> & { content: string | Cached<ChatCompletionContentPartText>[] })
  | (Omit<ChatCompletionUserMessageParam, 'content'> & { content: string | Cached<ChatCompletionContentPart>[] })
  | (Omit<ChatCompletionToolMessageParam, 'content'> & { content: string | Cached<ChatCompletionContentPartText>[] })
  | (Omit<ChatCompletionAssistantMessageParam, 'content'> & {
      content?: string | Cached<ChatCompletionContentPartText>[] | null
      reasoning_details?: ReasoningDetail[]
    }),
  { reasoning?: { effort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' } }
>

/** One entry of OpenRouter's `reasoning_details`, of which its documents name three kinds. */
interface ReasoningDetail {
  type: 'reasoning.text' | 'reasoning.summary' | 'reasoning.encrypted'
  id?: string | null
  format?: string | null
  index?: number
  text?: string | null
  summary?: string
  data?: string
  signature?: string | null
}

/** Mistral: another word for a call that must be made, thinking as a part, files by URL, sound without its format. */
export type ChatMistral = WithMessages<
  | Exclude<NotAssistant, { role: 'user' }>
  | (Omit<ChatCompletionUserMessageParam, 'content'> & {
      content: string | (ChatCompletionContentPart | MistralPart)[]
    })
  | (Omit<ChatCompletionAssistantMessageParam, 'content'> & {
      content?: string | (ChatCompletionContentPartText | MistralThinking)[] | null
    }),
  { tool_choice?: ChatCompletionCreateParamsStreaming['tool_choice'] | 'any' },
  'tool_choice'
>

type MistralPart =
  | { type: 'document_url'; document_url: string; document_name?: string }
  | { type: 'input_audio'; input_audio: string }

interface MistralThinking {
  type: 'thinking'
  thinking: ChatCompletionContentPartText[]
}
