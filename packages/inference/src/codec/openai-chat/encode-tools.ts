import type { ToolChoice, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isToolName } from './tool-name.ts'

/**
 * Encodes the tools of a request.
 *
 * @throws InferenceError `unsupported` for a name that the protocol does not take, or one used twice.
 */
export function encodeTools(tools: readonly ToolSpec[]): string {
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const part = `tools[${index}].name`
    if (!isToolName(name)) throw unsupported(part, 'expected 1 to 64 letters, digits, underscores or hyphens')
    if (names.has(name)) throw unsupported(part, 'another tool has the same name')
    names.add(name)
  }
  return wellFormedJson(
    tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
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
  if (!tools.some((tool) => tool.name === choice.name)) {
    throw unsupported('toolChoice', 'names a tool that the request does not have')
  }
  return { type: 'function', function: { name: choice.name } }
}
