import { InferenceError, type InferenceRequest, type WireCodec } from '@looprig/inference'
import { chatProfiles, createChatCodec } from '@looprig/inference/openai'
import { runCodecContract } from '@looprig/inference/testing'
import { describe, it } from 'vitest'

// A codec of somebody else: a server that wraps Chat Completions in an envelope.
const inner = createChatCodec(chatProfiles.compatible)

function open(text: string): string {
  const envelope: unknown = parse(text)
  if (typeof envelope === 'object' && envelope !== null && 'payload' in envelope)
    return JSON.stringify(envelope.payload)
  throw new InferenceError('malformed', 'the response has no payload')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InferenceError('malformed', 'the response is not JSON')
  }
}

const envelopeCodec: WireCodec = {
  ...inner,
  encode: (request: InferenceRequest, mode) => {
    const { body, ...rest } = inner.encode(request, mode)
    return { ...rest, path: '/wrapped', body: `{"payload":${body}}` }
  },
  decodeWhole: (text, redact) => inner.decodeWhole(open(text), redact),
  openStream: (redact) => {
    const decoder = inner.openStream(redact)
    return {
      get isDone() {
        return decoder.isDone
      },
      get hasReason() {
        return decoder.hasReason
      },
      get facts() {
        return decoder.facts
      },
      decode: (frame, out) => decoder.decode(open(frame), out),
      end: (out) => decoder.end(out),
    }
  },
}

// What follows is all that proves it.
const frame = (payload: object): string => `data: ${JSON.stringify({ payload })}\n\n`
const message = { role: 'assistant', content: 'Guten Tag 👋' }

runCodecContract(
  { describe, it },
  {
    name: 'envelope',
    open: () => envelopeCodec,
    fixtures: [
      {
        name: 'a greeting',
        stream: [
          frame({ model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'Guten ' } }] }),
          frame({ model: 'm', choices: [{ index: 0, delta: { content: 'Tag 👋' } }] }),
          frame({ model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        ].join(''),
        whole: JSON.stringify({ payload: { model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] } }),
      },
    ],
  },
)
