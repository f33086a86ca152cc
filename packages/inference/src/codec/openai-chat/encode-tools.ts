import { assertNever, type JsonObject } from '@looprig/core'
import type { ToolChoice, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isToolName, maxToolName } from '../schema/legal-name.ts'
import { isStrictSchema } from '../schema/strict-schema.ts'
import { toolSchema } from '../schema/tool-schema.ts'
import type { ChatProfile } from './profile.ts'

/**
 * Encodes the tools of a request. A schema that would make a server refuse all of them is mended first.
 *
 * @throws InferenceError `unsupported` for a name that the protocol does not take, or one used twice.
 */
export function encodeTools(tools: readonly ToolSpec[]): string {
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const part = `tools[${index}].name`
    if (!isToolName(name, maxToolName))
      throw unsupported(part, 'expected 1 to 64 letters, digits, underscores or hyphens')
    if (names.has(name)) throw unsupported(part, 'another tool has the same name')
    names.add(name)
  }
  return wellFormedJson(
    tools.map(({ name, description, inputSchema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: toolSchema(inputSchema), ...strictField(strict, inputSchema) },
    })),
  )
}

/** A schema that no server can hold to strictly is sent without the wish, which would be an error. */
function strictField(strict: boolean | undefined, schema: JsonObject): object {
  if (strict === undefined) return {}
  return { strict: strict && isStrictSchema(schema) }
}

/** What a tool choice becomes: the field, and the tools to send where not all of them go. */
export interface EncodedToolChoice {
  /** Absent: the field is left out. */
  readonly field?: unknown
  /** The names of the tools that go; absent: all. */
  readonly only?: ReadonlySet<string>
}

/**
 * Encodes the tool choice. The default, and any choice among no tools, needs no field.
 *
 * @throws InferenceError `unsupported` when it asks for a tool that the request does not have.
 */
export function encodeToolChoice(
  choice: ToolChoice = 'auto',
  tools: readonly ToolSpec[],
  profile: ChatProfile,
): EncodedToolChoice {
  const must = profile.requiredToolChoice ?? 'required'
  switch (choice) {
    case 'auto':
      return {}
    case 'none':
      return tools.length === 0 ? {} : { field: 'none' }
    case 'required':
      if (tools.length === 0) throw unsupported('toolChoice', 'required, but the request has no tools')
      return { field: must }
    default:
      return 'name' in choice
        ? oneTool(choice.name, tools, profile, must)
        : someTools(choice.allowed, choice.required === true, tools, profile, must)
  }
}

function oneTool(
  name: string,
  tools: readonly ToolSpec[],
  { someTools }: ChatProfile,
  must: string,
): EncodedToolChoice {
  checkNames([name], tools)
  if (someTools === 'send') return { field: must, only: new Set([name]) }
  return { field: { type: 'function', function: { name } } }
}

function someTools(
  names: readonly string[],
  required: boolean,
  tools: readonly ToolSpec[],
  { someTools: form = 'send' }: ChatProfile,
  must: string,
): EncodedToolChoice {
  checkNames(names, tools)
  if (names.length === 0) {
    if (required) throw unsupported('toolChoice', 'required, but it allows no tool')
    return tools.length === 0 ? {} : { field: 'none' }
  }
  switch (form) {
    case 'allowed_tools': {
      const list = names.map((name) => ({ type: 'function', function: { name } }))
      return { field: { type: 'allowed_tools', allowed_tools: { mode: required ? 'required' : 'auto', tools: list } } }
    }
    case 'name':
    case 'send':
      return { ...(required ? { field: must } : {}), only: new Set(names) }
    default:
      return assertNever(form, 'profile.someTools')
  }
}

function checkNames(names: readonly string[], tools: readonly ToolSpec[]): void {
  for (const name of names) {
    if (!tools.some((tool) => tool.name === name)) {
      throw unsupported('toolChoice', 'names a tool that the request does not have')
    }
  }
}
