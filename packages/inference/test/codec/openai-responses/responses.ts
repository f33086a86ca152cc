import { readdirSync, readFileSync } from 'node:fs'
import type { InferenceRequest } from '@looprig/inference'
import { createResponsesCodec, type ResponsesCodecOptions } from '@looprig/inference/openai-responses'
import { type DecodedRecording, decodeRecording, type FeedOptions } from '@looprig/inference/testing'
import { ableModel } from '../../support/encode-chat.ts'

const folder = new URL('./fixtures/', import.meta.url)
const codec = createResponsesCodec()

/** The names of all responses that are there as a stream. */
export const fixtureNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.sse'))
  .map((name) => name.slice(0, -'.sse'.length))
  .sort()

export function fixtureText(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8')
}

/** Decodes a streamed response. */
export function decodeStream(stream: string | Uint8Array, options: FeedOptions = {}): Promise<DecodedRecording> {
  return decodeRecording(codec, { bytes: Buffer.from(stream), form: 'stream' }, options)
}

/** Decodes a whole response, or one that failed. */
export function decodeWhole(body: string | object, status = 200): Promise<DecodedRecording> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return decodeRecording(codec, { bytes: Buffer.from(text), form: 'whole', status })
}

/** Decodes the stream of a fixture. */
export function decodeFixture(name: string): Promise<DecodedRecording> {
  return decodeStream(fixtureText(`${name}.sse`))
}

/** Writes events as the server does. */
export function sse(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** The last event of a response. */
export function completed(output: readonly object[] = []): object {
  return { type: 'response.completed', response: { status: 'completed', model: 'lark-5', output } }
}

/** A body, as far as tests look into it. */
export interface ResponsesBody {
  readonly [field: string]: unknown
  readonly input: readonly Readonly<Record<string, unknown>>[]
}

/** Encodes a request for a model that takes everything. */
export function encodeResponses(parts: Partial<InferenceRequest>, options: ResponsesCodecOptions = {}): ResponsesBody {
  const { body } = createResponsesCodec(options).encode({ model: ableModel, messages: [], ...parts }, 'whole')
  return JSON.parse(body) // proved: the encoder writes an object with input
}
