import { assertNever, byteLength, headWithin } from '@looprig/core'
import { type RawInputSchema, ToolError } from '@looprig/tools'
import type { AgentMenu } from './agent-menu.ts'
import type { AgentRequest } from './agent-request.ts'
import type { AgentToolName } from './agent-tool-names.ts'
import {
  type Argument,
  type Arguments,
  choiceArgument,
  countArgument,
  optionalArgument,
  readArguments,
  showArguments,
  textArgument,
  trueArgument,
} from './argument.ts'

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

const waitDescription =
  'true: the result is the answer. false: go on at once; the answer comes as a message of its own.'

const agentId = (description: string): Argument<string> => ({
  ...textArgument(description),
  // a text that names nobody is told by the call
  expected: () => undefined,
})

const agentName: Argument<string> = {
  ...textArgument('A short name to tell this agent from others. Default: its type.'),
  expected: (text) => {
    if (text.trim() === '' || /\p{Cc}/u.test(text)) return 'expected one line that is not blank'
    return byteLength(text) > maxNameBytes ? `expected at most ${maxNameBytes} bytes` : undefined
  },
}

/** The arguments of one agent tool, as the model sees them, and their reader. */
export function agentArguments(tool: AgentToolName, menu: AgentMenu): RawInputSchema<AgentRequest> {
  switch (tool) {
    case 'StartAgent':
      return startArguments(menu)
    case 'MessageAgent':
      return reader<{ agent_id: string; message: string; wait_for_response: boolean; timeout_seconds: number }>(
        {
          agent_id: agentId('The agent_id that StartAgent gave.'),
          message: textArgument('What to tell the agent. It sees nothing else of your work.', maxTextBytes),
          wait_for_response: trueArgument(waitDescription, { only: false }),
          timeout_seconds: timeout('How long to wait for the answer; the agent goes on. 0: as long as it takes.'),
        },
        ({ agent_id, message, wait_for_response: wait, timeout_seconds: timeoutSeconds }) => ({
          tool,
          agentId: agent_id,
          message,
          ...waiting(wait, timeoutSeconds),
        }),
      )
    case 'ListAgents':
      return reader<{ agent_id?: string | undefined }>(
        { agent_id: optionalArgument(agentId('Only this agent. Default: all that you started.')) },
        ({ agent_id }) => ({ tool, ...(agent_id === undefined ? {} : { agentId: agent_id }) }),
      )
    case 'StopAgent':
      return reader<{ agent_id: string }>(
        { agent_id: agentId('The agent_id that StartAgent gave.') },
        ({ agent_id }) => ({
          tool,
          agentId: agent_id,
        }),
      )
    default:
      return assertNever(tool, 'agent tool')
  }
}

interface StartArguments {
  agent_type: string
  instructions: string
  name?: string | undefined
  agent_mode?: string | undefined
  wait_for_response: boolean
  timeout_seconds: number
}

function startArguments({ style, roles }: AgentMenu): RawInputSchema<AgentRequest> {
  const modes = [...new Set(roles.flatMap((role) => role.modes))].filter((mode) => byteLength(mode) <= maxModeBytes)
  const instructions = 'The whole task: what to do, what to know, what to answer. It sees nothing else of your work.'
  const withModes = {
    agent_mode: optionalArgument(choiceArgument('The mode that it works in. Default: its own.', modes)),
  }
  const shape = {
    agent_type: choiceArgument(
      'Which kind of agent.',
      roles.map((role) => role.name),
    ),
    instructions: textArgument(instructions, maxTextBytes),
    name: optionalArgument(agentName),
    ...(modes.length === 0 ? {} : withModes),
    wait_for_response:
      style === 'managed'
        ? trueArgument(waitDescription, { only: false })
        : trueArgument('The result is the answer.', { only: true }),
    timeout_seconds: timeout('How long it may take before it is stopped. 0: as long as it takes.'),
  }
  return reader<StartArguments>(shape as Arguments<StartArguments>, (read) => {
    const { agent_type: agentType, instructions, name, wait_for_response: wait, timeout_seconds: seconds } = read
    const mode = read.agent_mode
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

function timeout(description: string): Argument<number> {
  return countArgument(description, maxTimeoutSeconds)
}

/** A time limit of an answer that nobody waits for would mean nothing. */
function waiting(wait: boolean, timeoutSeconds: number): { readonly wait: boolean; readonly timeoutSeconds: number } {
  if (!wait && timeoutSeconds > 0) {
    throw refused('field_not_allowed', 'timeout_seconds: only where wait_for_response is true')
  }
  return { wait, timeoutSeconds }
}

function reader<T extends object>(args: Arguments<T>, make: (read: T) => AgentRequest): RawInputSchema<AgentRequest> {
  return {
    // proved: `Arguments` is an argument for each name, and only what is shown of them is read
    jsonSchema: showArguments(args as never),
    parse: (value) => {
      const read = readArguments(args, value)
      if (!('fault' in read)) return make(read)
      const { name, what } = read.fault
      if (what === 'unknown') throw refused(foreignFields.has(name) ? 'field_not_allowed' : 'unknown_field', name)
      if (what === 'missing') throw refused('missing_field', name)
      throw refused('invalid_value', `${name}: ${what.expected}`)
    },
  }
}

function refused(fault: Fault, detail: string): ToolError {
  // a field's name is the model's own text: it may hold half of a surrogate pair, or be long
  return new ToolError('invalid_arguments', headWithin(`${fault}: ${detail}`.toWellFormed(), maxErrorBytes))
}

/** @throws ToolError `invalid_arguments` when the text of a call is larger than any valid one. */
export function checkArgumentSize(argsJson: string): void {
  if (byteLength(argsJson) > maxArgumentBytes) throw refused('oversized', `expected at most ${maxArgumentBytes} bytes`)
}
