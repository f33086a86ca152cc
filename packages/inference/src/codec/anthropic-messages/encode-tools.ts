import type { ToolChoice, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isToolName } from '../schema/legal-name.ts'
import { soundObjectSchema } from '../schema/tool-schema.ts'
import { maxNameLength } from './encode-message.ts'

/** The tools that a request may call, and whether it must or must not. */
export interface ChosenTools {
  readonly tools: readonly ToolSpec[]
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string }
}

/**
 * Puts a tool choice into what the protocol can say: it has no list of allowed tools, so only those are sent.
 *
 * @throws InferenceError `unsupported` when it asks for a tool that the request does not have.
 */
export function chooseTools(tools: readonly ToolSpec[], choice: ToolChoice = 'auto'): ChosenTools {
  if (typeof choice === 'object') {
    const names = 'name' in choice ? [choice.name] : choice.allowed
    if (!names.every((name) => tools.some((tool) => tool.name === name))) {
      throw unsupported('toolChoice', 'names a tool that the request does not have')
    }
    if ('name' in choice) return { tools, choice }
    const allowed = tools.filter((tool) => names.includes(tool.name))
    return chooseTools(allowed, choice.required === true ? 'required' : 'auto')
  }
  if (choice === 'required' && tools.length === 0) throw unsupported('toolChoice', 'required, but there is no tool')
  return { tools, choice: tools.length === 0 ? 'none' : choice }
}

/** Whether the model has no choice but to call a tool. */
export function isForced({ choice }: ChosenTools): boolean {
  return choice === 'required' || typeof choice === 'object'
}

/**
 * Checks the names of the tools of a request.
 *
 * @throws InferenceError `unsupported` for a name that the protocol does not take, or one used twice.
 */
export function checkToolNames(tools: readonly ToolSpec[], maxLength: number): void {
  const names = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const part = `tools[${index}].name`
    if (!isToolName(name, maxLength)) {
      throw unsupported(part, `expected 1 to ${maxLength} letters, digits, underscores or hyphens`)
    }
    if (names.has(name)) throw unsupported(part, 'another tool has the same name')
    names.add(name)
  }
}

/** Encodes the tools of a request. @throws InferenceError `unsupported`, as `checkToolNames` does. */
export function encodeTools(tools: readonly ToolSpec[]): string {
  checkToolNames(tools, maxNameLength)
  return wellFormedJson(
    tools.map(({ name, description, inputSchema, strict }) => {
      const schema = soundObjectSchema(inputSchema)
      return {
        name,
        ...(description === '' ? {} : { description }),
        input_schema: schema,
        // a schema that had to be loosened is not one to be held to
        ...(strict === true && schema === inputSchema ? { strict } : {}),
      }
    }),
  )
}

/** Encodes the tool choice; `undefined` where the field must be left out: the default, or a request without tools. */
export function encodeToolChoice({ tools, choice }: ChosenTools, parallel: boolean | undefined): object | undefined {
  if (tools.length === 0) return undefined
  if (choice === 'none') return { type: 'none' }
  const oneOnly = parallel === false ? { disable_parallel_tool_use: true } : undefined
  if (choice === 'auto') return oneOnly === undefined ? undefined : { type: 'auto', ...oneOnly }
  return choice === 'required' ? { type: 'any', ...oneOnly } : { type: 'tool', name: choice.name, ...oneOnly }
}
