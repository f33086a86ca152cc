import { adaptTranscript, type InferenceRequest, transcriptRules, type WireApi } from '@looprig/inference'
import { beforeAll, describe, expect, it } from 'vitest'
import { missingReason, recordingsOf } from '../../../packages/inference/test/recordings/recordings.ts'
import { conversationOf } from '../../src/neutral/from-recording.ts'
import { dialectOf } from '../../src/recorded-dialect.ts'
import { CheckedBodies } from '../../src/sdk-types/checked-bodies.ts'
import { bodiesOf, codecOf } from '../../src/wire-body.ts'

const apis = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini', 'bedrock-converse'] as const
const entries = apis.flatMap((api) => recordingsOf(api))

/** What no neutral request can say. Anything else in a recorded request must have been read. */
const withoutNeutralForm = [
  'background',
  'cachedContent',
  'content.document.citations',
  'content.document.s3Location',
  'mcp_servers',
  'modelArmorConfig',
  'safetySettings',
  'temperature below 0',
  'tools.codeExecution',
  'tools.code_execution_20260120',
  'tools.googleSearch',
  'tools.openrouter:web_search',
  'tools.systemTool',
  'tools.web_search',
  'tools.web_search_20250305',
]

const suite = (title: string) => (missingReason === undefined ? title : `${title} (${missingReason})`)

describe.skipIf(missingReason !== undefined)(suite('a recorded conversation, encoded again'), () => {
  const bodies = new CheckedBodies()
  const left = new Set<string>()

  beforeAll(async () => {
    for (const entry of entries) {
      const dialect = dialectOf(entry)
      const conversation = conversationOf(entry, codecOf(dialect))
      await bodies.add(entry.file, async () => {
        const { request, left: parts } = await conversation
        for (const part of parts) left.add(part)
        return bodiesOf('as it was', dialect, request)
      })
      for (const api of apis) {
        await bodies.add(`${entry.file} for ${api}`, async () =>
          bodiesOf('adapted', { api }, adapted((await conversation).request, api)),
        )
      }
    }
    await bodies.compile()
  }, 300_000)

  it.each(entries)('$file is what the SDK of its provider takes', ({ file }) => {
    expect(bodies.faultsOf(file)).toEqual([])
  })

  it.each(entries)('$file is what the SDKs of the others take, once adapted', (entry) => {
    const others = apis.filter((api) => api !== entry.api)

    expect(others.flatMap((api) => bodies.faultsOf(`${entry.file} for ${api}`))).toEqual([])
  })

  it('says all of its request but what has no neutral form', () => {
    expect([...left].sort()).toEqual([...withoutNeutralForm].sort())
  })
})

/** The conversation as another provider's model gets it. */
function adapted({ model, system, messages, tools }: InferenceRequest, api: WireApi): InferenceRequest {
  const target = { ...model, name: 'another-model' }
  return {
    model: target,
    system,
    tools,
    messages: adaptTranscript(messages, transcriptRules(api, target.capabilities)).messages,
  }
}
