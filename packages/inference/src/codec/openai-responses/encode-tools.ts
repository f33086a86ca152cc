import type { ToolChoice, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isStrictSchema } from '../schema/strict-schema.ts'
import { toolSchema } from '../schema/tool-schema.ts'

/**
 * Encodes the tools of a request. One that asks to be strict is, where its schema allows that.
 *
 * @throws InferenceError `unsupported` for a name that the protocol does not take, or one used twice.
 */
export function encodeTools(tools: readonly ToolSpec[]): string {
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const part = `tools[${index}].name`
    // the protocol's own description sets no alphabet; what one server refuses of this, another takes
    if (!/^[\w.:/-]{1,128}$/.test(name)) {
      throw unsupported(part, 'expected 1 to 128 letters, digits, underscores, hyphens, dots, colons or slashes')
    }
    if (names.has(name)) throw unsupported(part, 'another tool has the same name')
    names.add(name)
  }
  return wellFormedJson(
    tools.map(({ name, description, inputSchema, strict }) => {
      const parameters = toolSchema(inputSchema)
      return { type: 'function', name, description, parameters, strict: strict === true && isStrictSchema(parameters) }
    }),
  )
}

/**
 * Encodes the tool choice; `undefined` where the field must be left out: the default, or a request without tools.
 *
 * @throws InferenceError `unsupported` when it asks for a tool that the request does not have.
 */
export function encodeToolChoice(choice: ToolChoice | undefined, tools: readonly ToolSpec[]): unknown {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'none') return tools.length === 0 ? undefined : 'none'
  if (choice === 'required') {
    if (tools.length === 0) throw unsupported('toolChoice', 'required, but the request has no tools')
    return 'required'
  }
  const named = 'name' in choice ? [choice.name] : choice.allowed
  if (named.length === 0) throw unsupported('toolChoice', 'allows no tool: use none')
  if (!named.every((name) => tools.some((tool) => tool.name === name))) {
    throw unsupported('toolChoice', 'names a tool that the request does not have')
  }
  if ('name' in choice) return { type: 'function', name: choice.name }
  const mode = choice.required === true ? 'required' : 'auto'
  return { type: 'allowed_tools', mode, tools: named.map((name) => ({ type: 'function', name })) }
}
