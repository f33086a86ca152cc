import { headWithin, type Message } from '@looprig/core'
import type { z } from 'zod'
import type { InferenceClient } from '../client/client.ts'
import type { InferenceResponse } from '../client/response.ts'
import type { Model, Sampling } from '../model/model.ts'
import { canUse, type OutputStrategyName, shapeRequest, strategyOf } from './output-strategy.ts'
import { outputTextOf } from './output-text.ts'
import { readJson } from './read-json.ts'
import { type ShownSchema, showSchema } from './shown-schema.ts'
import { StructuredOutputError, type StructuredOutputErrorCode } from './structured-output-error.ts'

/** What is asked for, and how. */
export interface GenerateObjectOptions<T> {
  /** Anything that JSON Schema can express, an object or not. What it parses to is the result. */
  readonly schema: z.ZodType<T>
  readonly messages: readonly Message[]
  readonly system?: string | undefined
  /** For the provider: letters, digits, underscores and hyphens, at most 64. Default: `output`. */
  readonly name?: string | undefined
  /** For the model: what the object is for. */
  readonly description?: string | undefined
  /** Default: `native` for a model with `structuredOutput`, else `tool` for one with `tools`, else `prompt`. */
  readonly strategy?: OutputStrategyName | undefined
  readonly sampling?: Sampling | undefined
  readonly signal?: AbortSignal | undefined
}

/** An object of the schema, and where it came from. */
export interface GeneratedObject<T> {
  readonly object: T
  readonly response: InferenceResponse
  readonly strategy: OutputStrategyName
}

/** The longest answer, in characters of its JSON. */
const maxOutputCharacters = 1024 * 1024

/**
 * Asks a model for an object of a zod schema, once: nothing is repaired and nothing guessed. What is not exactly one
 * JSON text of the schema is an error that tells which way it was not; its `response` holds what the model said.
 *
 * @throws StructuredOutputError by `code`; InferenceError where there was no response.
 */
export async function generateObject<T>(
  client: InferenceClient,
  model: Model,
  options: GenerateObjectOptions<T>,
): Promise<GeneratedObject<T>> {
  const { schema, messages, system, name = 'output', description, sampling, signal } = options
  const strategy = options.strategy ?? strategyOf(model)
  if (!canUse(model, strategy)) {
    throw new StructuredOutputError('unsupported', `strategy: the model cannot use ${strategy}`, { strategy })
  }
  const shown = await showSchema(schema)
  const output = { name, description, schema: shown.jsonSchema }
  const response = await client.invoke(shapeRequest({ model, system, messages, sampling }, strategy, output), {
    signal,
  })
  return { object: await readObject(response, strategy, shown), response, strategy }
}

async function readObject<T>(
  response: InferenceResponse,
  strategy: OutputStrategyName,
  shown: ShownSchema<T>,
): Promise<T> {
  const fail = (code: StructuredOutputErrorCode, message: string): StructuredOutputError =>
    new StructuredOutputError(code, message, { strategy, response })
  const found = outputTextOf(response, strategy)
  if ('code' in found) throw fail(found.code, found.message)
  if (found.text.length > maxOutputCharacters) throw fail('too_large', 'the answer is longer than 1 MiB')
  const json = readJson(found.text)
  if ('fault' in json) {
    throw json.fault === 'syntax'
      ? fail('invalid_json', 'the answer is not one JSON text')
      : fail('ambiguous', 'an object of the answer has the same name twice')
  }
  const read = await shown.read(json.value)
  if ('issues' in read) throw fail('schema_mismatch', `the answer does not fit its schema: ${describe(read.issues)}`)
  return read.object
}

/** The most issues that one message names. */
const maxIssues = 8

/** Where and how, never what: names in a path are those of the schema, or cut. */
function describe(issues: readonly z.core.$ZodIssue[]): string {
  const lines = issues.slice(0, maxIssues).map(({ path, code }) => {
    const where = path.map((part) => headWithin(String(part).toWellFormed(), 40)).join('.')
    return where === '' ? code : `${where}: ${code}`
  })
  if (issues.length > maxIssues) lines.push(`and ${issues.length - maxIssues} more`)
  return headWithin(lines.join('; '), 1000)
}
