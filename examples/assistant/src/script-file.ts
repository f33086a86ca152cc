import { createReadStream } from 'node:fs'
import { inferenceErrorCodes } from '@looprig/inference'
import type { ScriptedResponse } from '@looprig/inference/testing'
import { z } from 'zod'
import { reasonOf } from './paths.ts'
import { UsageError } from './usage.ts'

const maxScriptBytes = 16 * 1024 * 1024

/** A day: longer waits are mistakes. */
const maxDelayMs = 86_400_000

const toolCallSchema = z
  .strictObject({
    id: z.string().min(1).exactOptional(),
    name: z.string().min(1),
    input: z.record(z.string(), z.json()).exactOptional(),
    rawInput: z.string().exactOptional(),
  })
  .refine((call) => call.input === undefined || call.rawInput === undefined, 'expected input or rawInput, not both')

const scriptSchema = z.array(
  z.strictObject({
    text: z.string().exactOptional(),
    thinking: z.string().exactOptional(),
    toolCalls: z.array(toolCallSchema).exactOptional(),
    error: z
      .strictObject({ code: z.enum(inferenceErrorCodes), afterText: z.boolean().exactOptional() })
      .exactOptional(),
    delayMs: z.number().nonnegative().max(maxDelayMs).exactOptional(),
  }),
)

/**
 * Reads a script: a JSON array of responses, one per model request.
 *
 * @throws UsageError telling the path of the first part that is not valid, never its value.
 */
export async function readScript(file: string): Promise<readonly ScriptedResponse[]> {
  const parsed = scriptSchema.safeParse(parseJson(file, await readBounded(file)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(`script ${file}: ${describePath(issue?.path ?? [])}: ${describeIssue(issue)}`)
}

/** Also from a pipe or a device, which may never end. */
async function readBounded(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of createReadStream(file, { end: maxScriptBytes })) {
      chunks.push(chunk)
      bytes += chunk.length
    }
  } catch (cause) {
    throw new UsageError(`script ${file}: ${reasonOf(cause)}`, { cause })
  }
  if (bytes > maxScriptBytes) throw new UsageError(`script ${file}: longer than 16 MiB`)
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UsageError(`script ${file}: not valid JSON`)
  }
}

/** As a person would write it, for example `[1].toolCalls[0].name`. */
function describePath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return text.replace(/^\./, '') || 'the file'
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`
    case 'invalid_type':
      return `expected ${issue.expected}`
    default:
      return issue?.message ?? 'not valid'
  }
}
