import type { JsonObject } from '@looprig/core'
import { errorResult, type ToolResult, textResult } from '../../contract/result.ts'

/** A JSON object as a result; with a field `error` it is an error of that code. */
export function jsonResult(json: JsonObject): ToolResult {
  const text = JSON.stringify(json)
  return typeof json.error === 'string' ? errorResult(json.error, text) : textResult(text)
}
