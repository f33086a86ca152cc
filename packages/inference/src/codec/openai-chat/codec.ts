import type { WireCodec } from '../wire-codec.ts'
import { decodeErrorResponse } from './decode-error.ts'
import { decodeChatResponse } from './decode-response.ts'
import { ChatStreamDecoder } from './decode-stream.ts'
import { ChatEncoder } from './encode-request.ts'
import { type ChatProfile, checkProfile } from './profile.ts'

/**
 * Makes the codec of the Chat Completions protocol, as one kind of server speaks it.
 *
 * @throws InferenceError `invalid_options` for a profile that cannot be.
 */
export function createChatCodec(profile: ChatProfile = {}): WireCodec<'openai-chat'> {
  const encoder = new ChatEncoder(checkProfile(profile))
  return {
    api: 'openai-chat',
    framing: 'sse',
    encode: (request, mode) => ({ path: '/chat/completions', body: encoder.encode(request, mode) }),
    decodeWhole: decodeChatResponse,
    openStream: (redact) => new ChatStreamDecoder(redact),
    decodeError: decodeErrorResponse,
  }
}
