import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { type ChosenTools, checkToolNames } from '../anthropic-messages/encode-tools.ts'
import { soundObjectSchema } from '../schema/tool-schema.ts'
import { maxNameLength } from './encode-message.ts'

/** Encodes the tools of a request as a JSON list. @throws InferenceError `unsupported` for a name, as `checkToolNames`. */
export function encodeTools(tools: readonly ToolSpec[]): string {
  checkToolNames(tools, maxNameLength)
  return wellFormedJson(
    tools.map(({ name, description, inputSchema, strict }) => {
      const schema = soundObjectSchema(inputSchema)
      return {
        toolSpec: {
          name,
          ...(description === '' ? {} : { description }),
          inputSchema: { json: schema },
          // a schema that had to be loosened is not one to be held to
          ...(strict === true && schema === inputSchema ? { strict } : {}),
        },
      }
    }),
  )
}

/**
 * What stands for tools where the model may call none and the history holds calls: the provider then refuses a request
 * without any. A call of it is answered like one of any tool that is not there.
 */
export const noTools: string = wellFormedJson([
  {
    toolSpec: {
      name: 'no_tools',
      description: 'No tool can be called now. Never call this one; answer in text.',
      inputSchema: { json: { type: 'object', properties: {} } },
    },
  },
])

/** Encodes the tool choice; `undefined` where the field must be left out: the default, or a request without tools. */
export function encodeToolChoice({ tools, choice }: ChosenTools): object | undefined {
  if (tools.length === 0 || choice === 'auto' || choice === 'none') return undefined
  return choice === 'required' ? { any: {} } : { tool: { name: choice.name } }
}

/** @throws InferenceError `unsupported` where a response may hold one call only: the protocol cannot say so. */
export function checkParallelCalls({ parallelToolCalls }: InferenceRequest, { tools, choice }: ChosenTools): void {
  if (parallelToolCalls !== false || tools.length === 0 || choice === 'none') return
  throw unsupported('parallelToolCalls', 'this protocol cannot limit a response to one call')
}
