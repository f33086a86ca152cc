import { isJsonObject, isJsonValue, type Message } from '@looprig/core'
import type { WireCodec } from '@looprig/inference'
import { decodeRecording } from '@looprig/inference/testing'
import {
  type RecordingEntry,
  readRecording,
  readRequest,
} from '../../../packages/inference/test/recordings/recordings.ts'
import { fromAnthropic } from './from-anthropic.ts'
import { fromBedrock } from './from-bedrock.ts'
import { fromChat } from './from-chat.ts'
import { fromGemini } from './from-gemini.ts'
import { fromResponses } from './from-responses.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/**
 * Gives the conversation of a recording: its request, the answer as our codec decodes it, and a result for each call of
 * the answer. A recording without a request gets a short one.
 */
export async function conversationOf(entry: RecordingEntry, codec: WireCodec): Promise<NeutralRequest> {
  const { request, left } = await requestOf(entry, codec)
  return { request: { ...request, messages: [...request.messages, ...(await answerOf(entry, codec))] }, left }
}

async function requestOf(entry: RecordingEntry, codec: WireCodec): Promise<NeutralRequest> {
  const body = readRequest(entry)
  const path = entry.requestPath ?? ''
  if (!isJsonValue(body) || !isJsonObject(body)) {
    const draft = new NeutralDraft(codec, entry.expected.model ?? 'model')
    draft.addUser([{ type: 'text', text: 'Go on.' }])
    return draft.end()
  }
  switch (entry.api) {
    case 'anthropic-messages':
      return fromAnthropic(body, codec)
    case 'openai-chat':
      return fromChat(body, codec)
    case 'openai-responses':
      return fromResponses(body, codec)
    case 'gemini':
      return fromGemini(body, codec, path)
    case 'bedrock-converse':
      return fromBedrock(body, codec, path)
    default:
      return entry.api satisfies never
  }
}

/** The answer and results of its calls; nothing where the provider gave an error. */
async function answerOf(entry: RecordingEntry, codec: WireCodec): Promise<Message[]> {
  const { response, error } = await decodeRecording(codec, readRecording(entry))
  if (error !== undefined) return []
  const { blocks } = response.message
  const results = blocks.flatMap((block, at): Message[] => {
    if (block.type !== 'tool_use') return []
    const text = `The result of ${block.name}.`
    return [{ role: 'tool', toolUseId: block.id, isError: at % 2 === 1, blocks: [{ type: 'text', text }] }]
  })
  return [{ role: 'assistant', blocks }, ...results]
}
