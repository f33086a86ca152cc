import assert from 'node:assert/strict'
import { deepFreeze, type Message, mediaBlock, userMessage } from '@looprig/core'
import type { InferenceRequest } from '../client/request.ts'
import type { WireCodec } from '../codec/wire-codec.ts'
import { InferenceError } from '../failure/errors.ts'
import {
  assertFails,
  bytesOf,
  type CodecFixture,
  decodeComplete,
  decodeStream,
  frameCount,
  outcomeOf,
  wholeEvents,
} from './codec-fixture.ts'
import { decodeRecording } from './decode-recording.ts'
import type { TestRegistrar } from './test-registrar.ts'

/** The codec that is put to the test. */
export interface CodecContractSubject {
  /** How the suite is titled. */
  readonly name: string
  /** Makes the codec; called anew for each test. */
  readonly open: () => WireCodec
  /** At least one with text. One with tool calls beside it proves much more. */
  readonly fixtures: readonly [CodecFixture, ...CodecFixture[]]
}

/**
 * Proves that a codec keeps the contract of wire protocols: a response decodes the same however its bytes are cut, is
 * truncated until it is complete, fails by code when it is none, and a request is encoded without being changed.
 * Registers its tests with the given runner; imports none itself.
 */
export function runCodecContract(
  { describe, it }: TestRegistrar,
  { name, open, fixtures }: CodecContractSubject,
): void {
  describe(`${name} (codec contract)`, () => {
    for (const fixture of fixtures) {
      for (const [rule, check] of Object.entries(decoding)) {
        it(`${rule}: ${fixture.name}`, () => check(open(), fixture))
      }
    }
    for (const [rule, check] of Object.entries(requests)) it(rule, async () => check(open()))
  })
}

const decoding: Readonly<Record<string, (codec: WireCodec, fixture: CodecFixture) => Promise<void>>> = {
  'decodes the same in pieces of any size': async (codec, fixture) => {
    const expected = await decodeStream(codec, fixture)

    for (const size of [1, 2, 3, 7, 64]) {
      const { events } = await decodeComplete(codec, bytesOf(fixture), 'stream', size)
      assert.deepEqual(events, expected.events, `pieces of ${size} bytes`)
    }
  },
  'decodes the same with other line ends': async (codec, fixture) => {
    if (codec.framing !== 'sse') return
    const text = Buffer.from(bytesOf(fixture)).toString('utf8').replaceAll('\r\n', '\n')
    const expected = await decodeStream(codec, fixture)

    for (const lines of [text, text.replaceAll('\n', '\r\n')]) {
      const { events } = await decodeComplete(codec, Buffer.from(lines), 'stream', 3)
      assert.deepEqual(events, expected.events)
    }
  },
  'decodes the same whole and streamed': async (codec, fixture) => {
    if (fixture.whole === undefined) return
    const streamed = await decodeStream(codec, fixture)

    const whole = await decodeComplete(codec, Buffer.from(fixture.whole), 'whole')

    assert.deepEqual(outcomeOf(whole), outcomeOf(streamed))
  },
  'is truncated until it is complete, and never another response': async (codec, fixture) => {
    const expected = await decodeStream(codec, fixture)
    const frames = await frameCount(codec, fixture)
    assert.ok(frames > 1, 'a fixture must have more than one frame, or nothing is cut')

    for (let cutAfter = 0; cutAfter < frames; cutAfter += 1) {
      const cut = await decodeRecording(codec, { bytes: bytesOf(fixture), form: 'stream' }, { cutAfter })
      if (cut.error === undefined) {
        assert.deepEqual(cut.response.message.blocks, expected.response.message.blocks, `cut after ${cutAfter}`)
        assert.equal(cut.facts.reason, expected.facts.reason, `cut after ${cutAfter}`)
      } else assert.equal(cut.error.code, 'truncated', `cut after ${cutAfter}`)
      if (cutAfter === 0) assert.ok(cut.error !== undefined, 'no frames are no response')
    }
  },
  'leaves no state behind from one stream to the next': async (codec, fixture) => {
    const first = await decodeStream(codec, fixture)
    await decodeRecording(codec, { bytes: bytesOf(fixture), form: 'stream' }, { cutAfter: 1 })

    assert.deepEqual(outcomeOf(await decodeStream(codec, fixture)), outcomeOf(first))
  },
  'gives what was whole before a frame that is broken': async (codec, fixture) => {
    if (codec.framing !== 'sse') return
    const [first = ''] = Buffer.from(bytesOf(fixture)).toString('utf8').replaceAll('\r\n', '\n').split('\n\n')
    const broken = Buffer.from(`${first}\n\ndata: {"half\n\n`)

    const { error, events } = await decodeRecording(codec, { bytes: broken, form: 'stream' })

    const before = await decodeRecording(codec, { bytes: Buffer.from(`${first}\n\n`), form: 'stream' })
    assert.equal(error?.code, 'malformed')
    assert.deepEqual(events, before.events)
  },
  'goes back to the provider that it came from': async (codec, fixture) => {
    const { response } = await decodeStream(codec, fixture)
    const messages: Message[] = [userMessage('Hi'), response.message]
    for (const { toolUseId } of response.toolCalls) messages.push(resultOf(toolUseId))
    messages.push(userMessage('Go on'))

    assert.ok(isJson(codec.encode(ask({ messages }), 'stream').body))
  },
}

const requests: Readonly<Record<string, (codec: WireCodec) => void>> = {
  'encodes a request as JSON for a path, the same each time, and changes nothing of it': (codec) => {
    const request = ask({ system: 'SYSTEM', messages: loop })

    for (const mode of ['stream', 'whole'] as const) {
      const { path, body } = codec.encode(request, mode)
      assert.match(path, /^\//)
      assert.ok(isJson(body), 'the body must be JSON text')
      for (const part of ['SYSTEM', 'QUESTION', 'RESULT-1', 'RESULT-2', 'find']) assert.ok(body.includes(part), part)
      assert.equal(codec.encode(request, mode).body, body)
    }
  },
  'sends no private data of another protocol': (codec) => {
    const foreign = { format: 'contract-of-nobody', signature: 'SENTINEL', data: 'SENTINEL' }
    const seal = { format: foreign.format, signature: foreign.signature }
    const state = { format: foreign.format, data: foreign.data }
    const answer: Message = {
      role: 'assistant',
      blocks: [
        { type: 'thinking', text: 'Hm', seal, state },
        { type: 'text', text: 'ANSWER', state },
      ],
    }

    const { body } = codec.encode(ask({ messages: [userMessage('Hi'), answer, userMessage('Go on')] }), 'stream')

    assert.ok(body.includes('ANSWER'))
    assert.ok(!body.includes('SENTINEL'), 'private data of another protocol was sent')
  },
  'sends text that is well formed, whatever it is given': (codec) => {
    const { body } = codec.encode(ask({ system: 'a\ud83d', messages: [userMessage('b\ude00"\u0000')] }), 'whole')

    assert.ok(isJson(body))
    assert.ok(!/\\ud[89a-f]/i.test(body) && body.isWellFormed(), 'half of a surrogate pair was sent')
  },
  'refuses what the model has no capability for, naming the part': (codec) => {
    const model = { provider: 'contract', name: 'none' }
    const picture = mediaBlock('image', { mediaType: 'image/png', data: 'iVBORw0KGgo=' })
    const asked: readonly Partial<InferenceRequest>[] = [
      { tools: [find] },
      { messages: [{ role: 'user', blocks: [picture] }] },
      { output: { name: 'answer', schema: { type: 'object' } } },
    ]

    for (const parts of asked) {
      const plain = { tools: undefined, ...parts, model }
      assertFails(() => codec.encode(ask(plain), 'stream'), ['unsupported'])
    }
  },
  'takes what is no response of the protocol for none': (codec) => {
    for (const text of ['', '{"half', '[]', 'null', '"text"', '<html></html>']) {
      assertFails(() => wholeEvents(codec, text), ['malformed', 'truncated'])
    }
  },
  'makes errors by status, of any body, with what the server asks and no secret': (codec) => {
    const redact = (text: string) => text.replaceAll('SENTINEL', '[redacted]')
    const bodies = [
      '',
      '<html>SENTINEL</html>',
      '{"error":{"message":"SENTINEL',
      '{"error":{"message":"SENTINEL"}}',
      '[]',
    ]
    const codes = { 401: 'auth', 404: 'not_found', 429: 'rate_limited', 500: 'server_error', 529: 'overloaded' }

    for (const [status, code] of Object.entries(codes)) {
      for (const body of bodies) {
        const error = codec.decodeError(body, { status: Number(status), retryAfterMs: 1500 }, redact)
        assert.ok(error instanceof InferenceError)
        assert.equal(error.code, code, `status ${status} with ${body}`)
        assert.equal(error.status, Number(status))
        assert.equal(error.retryAfterMs, 1500)
        assert.ok(!JSON.stringify([error.message, error.provider]).includes('SENTINEL'), 'a secret is shown')
      }
    }
  },
}

const find = deepFreeze({
  name: 'find',
  description: 'Finds things.',
  inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
})

const resultOf = (toolUseId: string, text = 'done'): Message => ({
  role: 'tool',
  toolUseId,
  isError: false,
  blocks: [{ type: 'text', text }],
})

/** Two calls at once, and their results. */
const loop: readonly Message[] = [
  userMessage('QUESTION'),
  {
    role: 'assistant',
    blocks: [
      { type: 'tool_use', id: 'call_contract_1', name: 'find', input: { what: 'a' } },
      { type: 'tool_use', id: 'call_contract_2', name: 'find', input: {} },
    ],
  },
  resultOf('call_contract_1', 'RESULT-1'),
  resultOf('call_contract_2', 'RESULT-2'),
]

/** A request that nobody can change, of a model that can do all that these requests need. */
function ask(parts: Partial<InferenceRequest>): InferenceRequest {
  const model = { provider: 'contract', name: 'any', capabilities: { tools: true } }
  return deepFreeze({ model, messages: [userMessage('Hi')], tools: [find], ...parts })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
