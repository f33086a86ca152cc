import type { JsonObject, JsonValue } from '@looprig/core'
import type { WireBody } from '../wire-body.ts'

/** Turns a Gemini body into what the SDK's `generateContent` takes. */
export function geminiParameters({ path, body }: WireBody): JsonObject {
  const { contents = [], generationConfig, ...settings } = body
  const config = { ...settings, ...(typeof generationConfig === 'object' ? generationConfig : {}) }
  return { model: /([^/]+):\w+(?:\?.*)?$/.exec(path)?.[1] ?? '', contents, config }
}

/** Turns a Converse body into what the SDK's command takes, except that bytes are still base64. */
export function converseInput({ path, body }: WireBody): JsonObject {
  return { modelId: decodeURIComponent(path.split('/')[2] ?? ''), ...body }
}

/** Whether the member is bytes in the SDK, where the wire has base64. */
export function isBytes(key: string, parent: string, value: JsonValue): value is string {
  return typeof value === 'string' && ((key === 'bytes' && parent === 'source') || key === 'redactedContent')
}
