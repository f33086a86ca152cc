import { canonicalJson, deepFreeze, type JsonValue, type ToolExecutionId, textBlock } from '@looprig/core'
import type { InferenceResponse } from '@looprig/inference'
import { ArtifactError, type Tool, ToolError } from '@looprig/tools'
import { finalOutputName } from './output-spec.ts'
import type { OutputVerdict } from './output-strategy.ts'

/** The longest output, in characters of its JSON: as long as the longest response. */
const maxOutputCharacters = 1024 * 1024

/** Judges the JSON text that a model gave as its output; `tool` parses it. Never throws. */
export async function judgeOutput(tool: Tool, { message }: InferenceResponse, json: string): Promise<OutputVerdict> {
  const parsed = await parse(tool, json)
  if ('reason' in parsed) return invalidOutput(parsed.reason)
  const { output } = parsed
  const text = canonicalJson(output)
  if (text.length > maxOutputCharacters) return invalidOutput('the output is too large')
  const { blocks: _, ...rest } = message
  return { kind: 'final', output, message: deepFreeze({ ...rest, blocks: [textBlock(text)] }) }
}

/** What a turn comes to whose model gave no output. */
export function invalidOutput(message: string): OutputVerdict {
  return { kind: 'invalid', error: { code: 'output_invalid', message } }
}

async function parse(tool: Tool, json: string): Promise<{ readonly output: JsonValue } | { readonly reason: string }> {
  try {
    const { artifact } = await tool.prepareCall(parsing, json)
    return { output: artifact }
  } catch (error) {
    if (error instanceof ToolError) return { reason: `the output does not fit its schema: ${error.message}` }
    if (error instanceof ArtifactError) return { reason: 'the output was not parsed to JSON data' }
    return { reason: 'the output could not be parsed' }
  }
}

/** The tool of an output is asked to parse only; nothing of it ever runs, so no call has this id. */
const parsing = Object.freeze({
  executionId: '00000000-0000-7000-8000-000000000000' as ToolExecutionId, // proved: a canonical UUID
  toolUseId: finalOutputName,
  signal: new AbortController().signal,
})
