import { assertNever, byteLength, headWithin } from '@looprig/core'
import type { AgentMenu, AgentRole } from './agent-menu.ts'
import type { AgentToolName } from './agent-tool-names.ts'

const maxBytes = 32 * 1024
const maxRows = 24
const maxRowBytes = 768

/** What a model reads of an agent tool; that of StartAgent lists the agents, as far as there is room. */
export function describeAgentTool(tool: AgentToolName, menu: AgentMenu): string {
  switch (tool) {
    case 'StartAgent':
      return startDescription(menu)
    case 'MessageAgent':
      return (
        'Sends one more message to an agent that you started. An agent at work takes it in where it can; an idle one ' +
        'begins to work on it.'
      )
    case 'ListAgents':
      return 'Lists the agents that you started, what they do now and how many messages wait for them.'
    case 'StopAgent':
      return (
        'Interrupts an agent that you started and drops the messages that wait for it. It keeps what it knows, and ' +
        'MessageAgent can give it more to do.'
      )
    default:
      return assertNever(tool, 'agent tool')
  }
}

function startDescription({ style, roles }: AgentMenu): string {
  const how =
    style === 'sync'
      ? 'Your call ends with its answer; several calls of one response work at the same time.'
      : 'Your call ends with its answer, or at once with wait_for_response false: then the answer comes as a message.'
  const intro = `Starts an agent that does a task of its own and answers. It sees only your instructions. ${how}\nAgents:`
  const lines = [intro]
  let bytes = byteLength(intro)
  for (const [index, role] of roles.entries()) {
    const row = describeRole(role)
    if (index >= maxRows || bytes + byteLength(row) > maxBytes - maxRowBytes) {
      lines.push(`- … and ${roles.length - index} more`)
      break
    }
    bytes += byteLength(row) + 1
    lines.push(row)
  }
  return lines.join('\n')
}

/** One line: a description is written by people, so that a line break in it does not begin another row. */
function describeRole({ name, description, modes }: AgentRole): string {
  const what = description === '' ? '' : `: ${description.toWellFormed().replace(/\s+/g, ' ').trim()}`
  const how = modes.length === 0 ? '' : ` (modes: ${modes.join(', ')})`
  const row = `- ${name}${how}${what}`
  return byteLength(row) <= maxRowBytes ? row : `${headWithin(row, maxRowBytes - 3)}…`
}
