import type { ToolChoice, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isFunctionName } from './function-name.ts'
import { geminiSchema } from './gemini-schema.ts'

/**
 * Encodes the declarations of tools. A tool without arguments has no parameters at all.
 *
 * @throws InferenceError `unsupported` for a name that the protocol does not take, or one used twice.
 */
export function encodeTools(tools: readonly ToolSpec[]): string {
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const part = `tools[${index}].name`
    if (!isFunctionName(name)) {
      throw unsupported(part, 'expected a letter or underscore, then letters, digits and _ . : -, at most 128')
    }
    if (names.has(name)) throw unsupported(part, 'another tool has the same name')
    names.add(name)
  }
  const functionDeclarations = tools.map(({ name, description, inputSchema }) => {
    const parameters = geminiSchema(inputSchema)
    return { name, description, ...(parameters.properties === undefined ? {} : { parameters }) }
  })
  return wellFormedJson([{ functionDeclarations }])
}

/** What a tool choice comes to: the tools that are offered, and how they must be used. */
export interface EncodedChoice {
  readonly tools: readonly ToolSpec[]
  readonly config: object | undefined
}

/**
 * Encodes the tool choice. A model that may call only some of its tools is offered no others.
 *
 * @throws InferenceError `unsupported` when it asks for a tool that the request does not have.
 */
export function encodeToolChoice(choice: ToolChoice | undefined, tools: readonly ToolSpec[]): EncodedChoice {
  if (choice === undefined || choice === 'auto') return { tools, config: undefined }
  if (choice === 'none') return { tools, config: tools.length === 0 ? undefined : calling({ mode: 'NONE' }) }
  if (choice === 'required') {
    if (tools.length === 0) throw unsupported('toolChoice', 'required, but the request has no tools')
    return { tools, config: calling({ mode: 'ANY' }) }
  }
  const named = 'name' in choice ? [choice.name] : choice.allowed
  if (named.length === 0) throw unsupported('toolChoice', 'allows no tool: use none')
  if (!named.every((name) => tools.some((tool) => tool.name === name))) {
    throw unsupported('toolChoice', 'names a tool that the request does not have')
  }
  if ('name' in choice || choice.required === true) {
    return { tools, config: calling({ mode: 'ANY', allowedFunctionNames: named }) }
  }
  return { tools: tools.filter(({ name }) => named.includes(name)), config: undefined }
}

function calling(functionCallingConfig: object): object {
  return { functionCallingConfig }
}
