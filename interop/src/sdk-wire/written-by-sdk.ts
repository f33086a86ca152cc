import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { type GenerateContentParameters, GoogleGenAI } from '@google/genai'
import type { JsonValue } from '@looprig/core'
import { converseInput, geminiParameters, isBytes } from '../sdk-types/sdk-parameters.ts'
import type { WireBody } from '../wire-body.ts'

/** A request as it left an SDK. */
export interface Written {
  readonly path: string
  readonly body: unknown
}

/** Lets `@google/genai` write a body from the same parameters; nothing is sent. */
export async function writtenByGemini(wire: WireBody): Promise<Written> {
  const written: Written[] = []
  const realFetch = globalThis.fetch
  // the SDK takes no fetch of its caller's
  globalThis.fetch = async (url, init) => {
    const { pathname, search } = new URL(String(url))
    written.push({
      path: `${pathname.replace('/v1beta', '')}${search}`,
      body: JSON.parse(String(init?.body), withoutEmptyConfig),
    })
    return new Response('{"candidates":[]}', { headers: { 'content-type': 'application/json' } })
  }
  try {
    const { models } = new GoogleGenAI({ apiKey: 'key' })
    // proved: compile-bodies checks the same value against the type
    const parameters = geminiParameters(wire) as unknown as GenerateContentParameters
    await (wire.mode === 'stream' ? models.generateContentStream(parameters) : models.generateContent(parameters))
  } finally {
    globalThis.fetch = realFetch
  }
  return only(written)
}

/** The SDK writes the settings also where there are none. */
function withoutEmptyConfig(key: string, value: unknown): unknown {
  return key === 'generationConfig' && JSON.stringify(value) === '{}' ? undefined : value
}

/** Lets the AWS SDK write a body from the same parameters; nothing is sent. */
export async function writtenByBedrock(wire: WireBody): Promise<Written> {
  const written: Written[] = []
  const stopped = new Error('nothing is sent')
  const client = new BedrockRuntimeClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: {
      handle: ({ path, body }: { path: string; body: Uint8Array }) => {
        written.push({ path, body: JSON.parse(new TextDecoder().decode(body)) })
        return Promise.reject(stopped)
      },
    },
  })
  // proved: compile-bodies checks the same value against the type
  const input = withBytes(converseInput(wire), '') as unknown as ConverseCommandInput
  const sent =
    wire.mode === 'stream' ? client.send(new ConverseStreamCommand(input)) : client.send(new ConverseCommand(input))
  await sent.catch((error: unknown) => {
    if (error !== stopped) throw error
  })
  return only(written)
}

function withBytes(value: JsonValue, parent: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withBytes(each, parent))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      isBytes(key, parent, each) ? Buffer.from(each, 'base64') : withBytes(each, key),
    ]),
  )
}

function only(written: readonly Written[]): Written {
  const [first, second] = written
  if (first === undefined || second !== undefined) throw new Error(`the SDK wrote ${written.length} requests`)
  return first
}
