/** What a Responses body is, by the request types of the `openai` SDK. */
import type {
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
} from 'openai/resources/responses/responses'

export type Responses = { stream: ResponseCreateParamsStreaming; whole: ResponseCreateParamsNonStreaming }
