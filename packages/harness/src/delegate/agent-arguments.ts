import { assertNever, byteLength, headWithin, type JsonObject } from '@looprig/core'
import { type RawInputSchema, ToolError } from '@looprig/tools'
import { z } from 'zod'
import type { AgentMenu } from './agent-menu.ts'
import type { AgentRequest } from './agent-request.ts'
import type { AgentToolName } from './agent-tool-names.ts'

/** The most bytes of a call's argument text. */
export const maxArgumentBytes = 256 * 1024

const maxNameBytes = 256
const maxModeBytes = 128
const maxTextBytes = 192 * 1024
const maxTimeoutSeconds = 86_400
const maxErrorBytes = 512

/** What is wrong with the arguments of an agent tool. */
type Fault = 'oversized' | 'malformed' | 'unknown_field' | 'field_not_allowed' | 'missing_field' | 'invalid_value'

/** Arguments that an agent tool takes elsewhere, not as this loop is set up. */
const foreignFields: ReadonlySet<string> = new Set([
  'agent_mode',
  'timeout_seconds',
  'wait_for_response',
  'model',
  'effort',
  'agent_harness',
  'agent_source',
])

const boundedText = (maxBytes: number, description: string) =>
  z
    .string()
    .refine((text) => text.trim() !== '', 'expected a text that is not blank')
    .refine((text) => byteLength(text) <= maxBytes, `expected at most ${maxBytes} bytes`)
    .transform((text) => text.toWellFormed())
    .describe(description)

const plainName = z
  .string()
  .refine((text) => text.trim() !== '' && !/\p{Cc}/u.test(text), 'expected one line that is not blank')
  .refine((text) => byteLength(text) <= maxNameBytes, `expected at most ${maxNameBytes} bytes`)
  .transform((text) => text.toWellFormed())
  .describe('A short name to tell this agent from others. Default: its type.')

const agentId = z.string().describe('The agent_id that StartAgent gave.')

const timeout = (description: string) => z.int().min(0).max(maxTimeoutSeconds).default(0).describe(description)

const waits = z
  .boolean()
  .default(true)
  .describe('true: the result is the answer. false: go on at once; the answer comes as a message of its own.')

/** The arguments of one agent tool, as the model sees them, and their reader. */
export function agentArguments(tool: AgentToolName, menu: AgentMenu): RawInputSchema<AgentRequest> {
  const { shape, toRequest } = argumentsOf(tool, menu)
  const { $schema: _, ...shown } = z.toJSONSchema(shape, { io: 'input' })
  return {
    // proved: a JSON Schema without `undefined` is JSON data after a round trip
    jsonSchema: JSON.parse(JSON.stringify(shown)) as JsonObject,
    parse: (value) => toRequest(value),
  }
}

interface Reader {
  readonly shape: z.ZodType
  readonly toRequest: (value: JsonObject) => AgentRequest
}

function reader<S extends z.ZodType>(shape: S, make: (read: z.output<S>) => AgentRequest): Reader {
  return { shape, toRequest: (value) => make(read(shape, value)) }
}

function argumentsOf(tool: AgentToolName, menu: AgentMenu): Reader {
  switch (tool) {
    case 'StartAgent':
      return startArguments(menu)
    case 'MessageAgent':
      return reader(
        z.strictObject({
          agent_id: agentId,
          message: boundedText(maxTextBytes, 'What to tell the agent. It sees nothing else of your work.'),
          wait_for_response: waits,
          timeout_seconds: timeout('How long to wait for the answer; the agent goes on. 0: as long as it takes.'),
        }),
        ({ agent_id, message, wait_for_response: wait, timeout_seconds: timeoutSeconds }) => ({
          tool,
          agentId: agent_id,
          message,
          ...waiting(wait, timeoutSeconds),
        }),
      )
    case 'ListAgents':
      return reader(
        z.strictObject({
          agent_id: agentId.exactOptional().describe('Only this agent. Default: all that you started.'),
        }),
        ({ agent_id }) => ({ tool, ...(agent_id === undefined ? {} : { agentId: agent_id }) }),
      )
    case 'StopAgent':
      return reader(z.strictObject({ agent_id: agentId }), ({ agent_id }) => ({ tool, agentId: agent_id }))
    default:
      return assertNever(tool, 'agent tool')
  }
}

function startArguments({ style, roles }: AgentMenu): Reader {
  const names = roles.map((role) => role.name)
  const modes = [...new Set(roles.flatMap((role) => role.modes))]
  const shape = z.strictObject({
    agent_type: z.enum(names).describe('Which kind of agent.'),
    instructions: boundedText(
      maxTextBytes,
      'The whole task: what to do, what to know, what to answer. It sees nothing else of your work.',
    ),
    name: plainName.exactOptional(),
    ...(modes.length === 0
      ? {}
      : {
          agent_mode: z
            .enum(modes)
            .refine((text) => byteLength(text) <= maxModeBytes)
            .exactOptional()
            .describe('The mode that it works in. Default: its own.'),
        }),
    wait_for_response:
      style === 'managed' ? waits : z.literal(true).default(true).describe('The result is the answer.'),
    timeout_seconds: timeout('How long it may take before it is stopped. 0: as long as it takes.'),
  })
  return reader(shape, (read) => {
    const { agent_type: agentType, instructions, name, wait_for_response: wait, timeout_seconds: seconds } = read
    const mode = typeof read.agent_mode === 'string' ? read.agent_mode : undefined
    return {
      tool: 'StartAgent',
      agentType,
      instructions,
      ...(name === undefined ? {} : { name }),
      ...(mode === undefined ? {} : { mode }),
      ...waiting(wait, seconds),
    }
  })
}

/** A time limit of an answer that nobody waits for would mean nothing. */
function waiting(wait: boolean, timeoutSeconds: number): { readonly wait: boolean; readonly timeoutSeconds: number } {
  if (!wait && timeoutSeconds > 0) {
    throw refused('field_not_allowed', 'timeout_seconds: only where wait_for_response is true')
  }
  return { wait, timeoutSeconds }
}

function read<S extends z.ZodType>(shape: S, value: JsonObject): z.output<S> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (issue === undefined) throw refused('malformed', 'expected the arguments of this tool')
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    throw refused(foreignFields.has(key) ? 'field_not_allowed' : 'unknown_field', key)
  }
  const field = String(issue.path[0] ?? '')
  if (!Object.hasOwn(value, field)) throw refused('missing_field', field)
  throw refused('invalid_value', `${field}: ${issue.message}`)
}

function refused(fault: Fault, detail: string): ToolError {
  // a field's name is the model's own text: it may hold half of a surrogate pair, or be long
  return new ToolError('invalid_arguments', headWithin(`${fault}: ${detail}`.toWellFormed(), maxErrorBytes))
}

/** @throws ToolError `invalid_arguments` when the text of a call is larger than any valid one. */
export function checkArgumentSize(argsJson: string): void {
  if (byteLength(argsJson) > maxArgumentBytes) throw refused('oversized', `expected at most ${maxArgumentBytes} bytes`)
}
