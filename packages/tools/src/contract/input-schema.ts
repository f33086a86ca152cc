import { hash } from 'node:crypto'
import {
  canonicalJson,
  deepFreeze,
  headWithin,
  isJsonObject,
  isJsonValue,
  type JsonObject,
  type JsonValue,
} from '@looprig/core'
import type { z } from 'zod'
import { DefinitionBuildError, ToolError } from './errors.ts'

/** A schema that arrives at run time: shown to the model as it is, checked by `parse`. */
export interface RawInputSchema<I> {
  readonly jsonSchema: JsonObject
  /** Returns the input, or throws a `ToolError` that names what is wrong. */
  readonly parse: (value: JsonObject) => I
}

/** How a tool describes and checks its arguments: a zod object, strict by preference, or a schema with its parser. */
export type InputSchema<I> = z.ZodType<I> | RawInputSchema<I>

/** A schema made ready once. */
export interface CompiledSchema<I> {
  readonly jsonSchema: JsonObject
  readonly digest: string
  /** @throws ToolError `invalid_arguments` telling path and expectation, never a value. */
  parse(argsJson: string): I
}

/** Makes a schema ready, or says at definition time that it cannot be shown to a model. */
export function compileSchema<I>(toolName: string, schema: InputSchema<I>): CompiledSchema<I> {
  const jsonSchema = deepFreeze(showSchema(toolName, schema))
  const digest = hash('sha256', canonicalJson(jsonSchema), 'hex')
  const parse = isZod(schema)
    ? (argsJson: string) => parseByZod(schema, argsJson)
    : (argsJson: string) => schema.parse(parseObject(argsJson))
  return { jsonSchema, digest, parse }
}

/** Told by what zod says of its own, so that zod is loaded by who writes a schema and by nobody else. */
function isZod<I>(schema: InputSchema<I>): schema is z.ZodType<I> {
  return '_zod' in schema
}

function showSchema<I>(toolName: string, schema: InputSchema<I>): JsonObject {
  if (!isZod(schema)) return structuredClone(schema.jsonSchema)
  let shown: unknown
  try {
    const { $schema: _, ...rest } = schema.toJSONSchema({ io: 'input' })
    shown = JSON.parse(JSON.stringify(rest))
  } catch (cause) {
    throw new DefinitionBuildError('invalid_definition', toolName, 'inputSchema', { cause })
  }
  if (isJsonObject(shown) && shown.type === 'object') return shown
  throw new DefinitionBuildError('invalid_definition', toolName, 'inputSchema')
}

function parseByZod<I>(schema: z.ZodType<I>, argsJson: string): I {
  const parsed = schema.safeParse(parseObject(argsJson))
  if (parsed.success) return parsed.data
  throw new ToolError('invalid_arguments', `invalid arguments: ${describeIssues(parsed.error.issues)}`)
}

function parseObject(argsJson: string): JsonObject {
  let value: unknown
  try {
    value = argsJson.trim() === '' ? {} : JSON.parse(argsJson)
  } catch {
    throw new ToolError('invalid_arguments', 'the arguments are not valid JSON; send one JSON object')
  }
  if (!isJsonObject(value) || !isJsonValue(value)) {
    throw new ToolError('invalid_arguments', 'the arguments are not a JSON object, or nest too deep')
  }
  const broken = brokenText(argsJson, value)
  if (broken === undefined) return value
  const path = headWithin(
    broken
      .join('.')
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' '),
    200,
  )
  throw new ToolError('invalid_arguments', `invalid arguments: ${path}: expected text without half of a character`)
}

/** Where half of a surrogate pair is, which gets into a text by its escape: no file and no record could hold it. */
function brokenText(argsJson: string, value: JsonObject): readonly string[] | undefined {
  const mayHoldOne = !argsJson.isWellFormed() || /\\ud[89a-f]/i.test(argsJson)
  return mayHoldOne ? pathToBroken(value, []) : undefined
}

function pathToBroken(value: JsonValue, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const below = [...path, key]
    const found = key.isWellFormed() ? pathToBroken(part, below) : below
    if (found !== undefined) return found
  }
  return undefined
}

/** The most issues that one message names. */
const maxIssues = 8

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const lines = issues.slice(0, maxIssues).map((issue) => {
    const path = issue.path.map(String).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  if (issues.length > maxIssues) lines.push(`and ${issues.length - maxIssues} more`)
  // a name is the model's own text: it may hold anything, and it may be cut
  return headWithin(
    lines
      .join('; ')
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' '),
    1_000,
  )
}
