import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeRecording, type FeedOptions, type Recording } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { type Outcome, outcomeOf } from '../../../../scripts/wire/outcome.mjs'
import type { WireApi, WireCodec } from '../../src/codec/wire-codec.ts'

/** One recorded response and what is expected of it; `INDEX.md` beside the recordings explains the fields. */
export interface RecordingEntry {
  readonly id: string
  readonly file: string
  readonly api: WireApi
  readonly framing: 'sse' | 'json' | 'eventstream' | 'json-array-stream'
  readonly httpStatus: number
  readonly requestFile?: string
  /** Where the request went; some protocols have the model in it. */
  readonly requestPath?: string
  readonly expected: ExpectedOutcome
}

/** What a recording should come to. */
export interface ExpectedOutcome {
  readonly text?: string
  readonly reasoning?: string
  readonly reasoningSignatures?: readonly string[]
  readonly redactedReasoningBlocks?: number
  readonly toolCalls?: readonly ExpectedCall[]
  readonly refusal?: string
  readonly finishReason?: string | null
  readonly rawFinishReason?: string | null
  /** Where the wire gave no reason: these will do. */
  readonly finishReasonAcceptable?: readonly string[]
  readonly usage?: Readonly<Record<string, unknown>>
  readonly model?: string | null
  readonly error?: { readonly type?: string | null; readonly code?: string | number | null; readonly message?: string }
  readonly retryable?: boolean
}

interface ExpectedCall {
  readonly id: string | null
  readonly name: string
  readonly args: unknown
  readonly argsValid: boolean | null
  readonly rawArgs?: string
  readonly custom?: boolean
}

/** Where the recordings are; they are no part of the project. */
export const recordingsFolder: string =
  process.env.LOOPRIG_RECORDINGS ?? fileURLToPath(new URL('../../../../../shared/fixtures/providers', import.meta.url))

/** Why the suite does not run; absent when it does. */
export const missingReason: string | undefined = existsSync(join(recordingsFolder, 'expected.json'))
  ? undefined
  : 'no recordings in $LOOPRIG_RECORDINGS or ../shared/fixtures/providers'

/** The recordings of one protocol; none when there is no folder of them. */
export function recordingsOf(api: WireApi): readonly RecordingEntry[] {
  if (missingReason !== undefined) return []
  const { entries } = JSON.parse(readFileSync(join(recordingsFolder, 'expected.json'), 'utf8')) as {
    readonly entries: readonly RecordingEntry[] // proved: written for this reader
  }
  return entries.filter((entry) => entry.api === api)
}

/** Reads the body of a recording; `crlf` ends its lines as some servers do. */
export function readRecording(entry: RecordingEntry, crlf = false): Recording {
  const read = readFileSync(join(recordingsFolder, entry.file))
  const bytes = crlf ? Buffer.from(read.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1') : read
  const form = entry.framing === 'sse' || entry.framing === 'eventstream' ? 'stream' : 'whole'
  return { bytes, form, status: entry.httpStatus }
}

/** The request that led to a recording, as it went on the wire. */
export function readRequest(entry: RecordingEntry): unknown {
  if (entry.requestFile === undefined) return undefined
  return JSON.parse(readFileSync(join(recordingsFolder, entry.requestFile), 'utf8'))
}

/** Decodes a recording. */
export async function outcome(codec: WireCodec, recording: Recording, options: FeedOptions = {}): Promise<Outcome> {
  return outcomeOf(await decodeRecording(codec, recording, options), recording.form)
}

/** Compares field by field; names each field that is not as expected, with both values. */
export function differences(actual: Outcome, entry: RecordingEntry): string[] {
  const { expected } = entry
  const found: string[] = []
  const compare = (field: string, is: unknown, should: unknown) => {
    if (JSON.stringify(is) !== JSON.stringify(should)) {
      found.push(`${field}: ${JSON.stringify(is)?.slice(0, 300)} instead of ${JSON.stringify(should)?.slice(0, 300)}`)
    }
  }
  compareError(actual, entry, compare)
  if (entry.httpStatus >= 400) return found
  compare('text', actual.text, expected.text ?? '')
  compare('reasoning', actual.reasoning, expected.reasoning ?? '')
  compare('reasoningSignatures', actual.reasoningSignatures, expected.reasoningSignatures ?? [])
  compare('redactedReasoningBlocks', actual.redactedReasoningBlocks, expected.redactedReasoningBlocks ?? 0)
  compare('refusal', actual.refusal, expected.refusal ?? null)
  compare('rawFinishReason', actual.rawFinishReason ?? '', expected.rawFinishReason ?? '')
  compare('model', actual.model, expected.model ?? null)
  compare('usage', usageNumbers(actual.usage), usageNumbers(expected.usage ?? {}))
  if (expected.error === undefined) {
    const acceptable = [expected.finishReason ?? '', ...(expected.finishReasonAcceptable ?? [])]
    if (expected.finishReason === 'pause') acceptable.push('other')
    if (!acceptable.includes(actual.finishReason ?? '')) compare('finishReason', actual.finishReason, acceptable)
    compareCalls(actual, expected.toolCalls ?? [], compare)
  }
  return found
}

type Compare = (field: string, is: unknown, should: unknown) => void

/** The message is the provider's, cut and redacted, so only its presence counts. */
function compareError(actual: Outcome, { expected }: RecordingEntry, compare: Compare): void {
  compare('error', actual.error !== null, expected.error !== undefined)
  if (actual.error === null || expected.error === undefined) return
  compare('error.type', actual.error.type, expected.error.type ?? null)
  compare('error.code', actual.error.code, expected.error.code ?? null)
  compare('error.message', actual.error.message !== '', true)
  compare('error.retryable', actual.error.retryable, retryableOf(expected))
}

function retryableOf({ retryable, error }: ExpectedOutcome): unknown {
  return retryable ?? (error !== undefined && 'retryable' in error ? error.retryable : undefined)
}

/** Ids that the provider did not give are minted: there is one, and no two are equal. */
function compareCalls(actual: Outcome, expected: readonly ExpectedCall[], compare: Compare): void {
  const ids = actual.toolCalls.map((call) => call.id)
  compare('toolCalls.id', new Set(ids).size === ids.length && !ids.includes(''), true)
  compare(
    'toolCalls',
    actual.toolCalls.map(({ id, name, args, custom = false }, at) => [expected[at]?.id ? id : '', name, args, custom]),
    expected.map(({ id, name, args, custom = false }) => [id ?? '', name, args, custom]),
  )
  for (const [at, { rawArgs, argsValid }] of expected.entries()) {
    if (argsValid === false && rawArgs !== undefined) compare('rawArgs', actual.toolCalls[at]?.rawArgs, rawArgs)
  }
}

/** Where reasoning is counted beside the output, ours is the sum. A part that was not told is 0. */
function usageNumbers(usage: Readonly<Record<string, unknown>>): unknown {
  if (Object.keys(usage).length === 0) return {}
  return [
    usage.inputTokensTotal,
    usage.inputTokensUncached,
    usage.cacheReadTokens ?? 0,
    usage.cacheCreationTokens ?? 0,
    usage.outputTokensInclusive ?? usage.outputTokens,
    usage.reasoningTokens ?? 0,
  ]
}

const chunkSizes = [1, 2, 3, 7, 64]

/**
 * Runs every recording of a protocol through its codec: whole, in pieces, with other line ends, and cut at each event.
 *
 * @param codecFor - gives the codec; the same one may serve every entry.
 */
export function describeRecordings(api: WireApi, codecFor: (entry: RecordingEntry) => WireCodec): void {
  const entries = recordingsOf(api)
  const title = missingReason === undefined ? `recordings of ${api}` : `recordings of ${api} (${missingReason})`
  describe.skipIf(missingReason !== undefined)(title, () => {
    it('are there', () => expect(entries.length).toBeGreaterThan(0))

    it.each(entries)('$file decodes to what is expected of it', async (entry) => {
      expect(differences(await outcome(codecFor(entry), readRecording(entry)), entry)).toEqual([])
    })

    const streams = entries.filter((entry) => readRecording(entry).form === 'stream')
    it.each(streams)('$file decodes the same in pieces and with CRLF', async (entry) => {
      const codec = codecFor(entry)
      const whole = await outcome(codec, readRecording(entry))

      for (const crlf of entry.framing === 'sse' ? [false, true] : [false]) {
        for (const chunkBytes of chunkSizes) {
          expect(await outcome(codec, readRecording(entry, crlf), { chunkBytes })).toEqual(whole)
        }
      }
    })

    it.each(streams)('$file is truncated at each event before it is complete, and not after', async (entry) => {
      const codec = codecFor(entry)
      const recording = readRecording(entry)
      const frames = await framesOf(codec, recording)
      const complete = frames.findIndex((frame) => completes(api, frame))

      const wrong: number[] = []
      for (const cutAfter of frames.keys()) {
        const { truncated, error, finishReason } = await outcome(codec, recording, { cutAfter })
        const expected = complete === -1 || cutAfter <= complete
        const isCut = truncated && error?.kind === 'truncated' && finishReason === null
        if (isCut !== expected || truncated !== expected) wrong.push(cutAfter)
      }
      expect(wrong).toEqual([])
    })
  })
}

async function framesOf(codec: WireCodec, { bytes }: Recording): Promise<string[]> {
  const { SseReader } = await import('../../src/wire/sse.ts')
  const reader = (await codec.openFrames?.()) ?? new SseReader()
  const tail = reader.end.bind(reader)
  const frames = [...reader.push(bytes)]
  const last = tail()
  return last === undefined ? frames : [...frames, last]
}

/** Whether the response is over with this frame, by the rule of its protocol. An error frame ends it as well. */
function completes(api: WireApi, frame: string): boolean {
  if (/^\s*\{"?error"?\s*:\s*\{/.test(frame)) return true
  switch (api) {
    case 'openai-chat':
      return frame.startsWith('[DONE]') || /"finish_reason":\s*"[^"]/.test(frame)
    case 'anthropic-messages':
      return /"type":\s*"(?:message_stop|error)"/.test(frame)
    case 'openai-responses':
      return /"type":\s*"(?:response\.(?:completed|incomplete|failed)|error)"/.test(frame)
    case 'gemini':
      return /"finishReason":\s*"[^"]|"blockReason":\s*"[^"]/.test(frame)
    case 'bedrock-converse':
      return /^\{"(?:messageStop|\w*Exception)"/.test(frame)
    default:
      return api satisfies never
  }
}
