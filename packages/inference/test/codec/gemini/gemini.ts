import { readdirSync, readFileSync } from 'node:fs'
import type { InferenceRequest, Model } from '@looprig/inference'
import { createGeminiCodec, type GeminiCodecOptions } from '@looprig/inference/gemini'
import { type DecodedRecording, decodeRecording, type FeedOptions } from '@looprig/inference/testing'

const folder = new URL('./fixtures/', import.meta.url)
const codec = createGeminiCodec({ mintId: () => 'minted' })

/** A model of the second generation that takes everything. */
export const second: Model = {
  provider: 'test',
  name: 'gemini-2.5-lark',
  capabilities: {
    tools: true,
    images: true,
    audio: true,
    documents: true,
    thinking: true,
    thinkingDialect: 'budget',
    structuredOutput: true,
  },
}

/** A model of the third generation that takes everything. */
export const third: Model = {
  ...second,
  name: 'gemini-3-lark',
  capabilities: { ...second.capabilities, thinkingDialect: 'adaptive' },
}

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

/** Writes chunks as the server does. */
export function sse(...chunks: readonly object[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
}

/** A chunk with these parts. */
export function chunk(parts: readonly object[], finishReason?: string): object {
  return {
    candidates: [{ content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  }
}

/** A body, as far as tests look into it. */
export interface GeminiBody {
  readonly [field: string]: unknown
  readonly contents: readonly { readonly role: string; readonly parts: readonly unknown[] }[]
}

/** Encodes a request, for a model of the second generation unless it names one. */
export function encodeGemini(parts: Partial<InferenceRequest>, options: GeminiCodecOptions = {}): GeminiBody {
  const { body } = createGeminiCodec(options).encode({ model: second, messages: [], ...parts }, 'whole')
  return JSON.parse(body) // proved: the encoder writes an object with contents
}
