import { assertNever, type JsonValue } from '@looprig/core'
import { defineTool, type Frozen, type Tool, type ToolDefinition, type ToolResult } from '@looprig/tools'
import { refusedResult } from './agent-answer.ts'
import { agentArguments, checkArgumentSize } from './agent-arguments.ts'
import type { AgentCall, AgentSeat } from './agent-controller.ts'
import { describeAgentTool } from './agent-description.ts'
import type { AgentMenu } from './agent-menu.ts'
import type { AgentRequest } from './agent-request.ts'
import { type AgentToolName, agentToolNames } from './agent-tool-names.ts'

/** The seats of the agent tools that were built. */
const seats = new WeakMap<Tool, AgentSeat>()

/** The seat that a tool shares with the other agent tools of its loop; nothing for any other tool. */
export function agentSeat(tool: Tool): AgentSeat | undefined {
  return seats.get(tool)
}

/** The definitions of agent tools that were made here. */
const definitions = new WeakSet<ToolDefinition>()

/** Says whether a definition is that of a loop's agent tools: their names are taken for them. */
export function isAgentTools(definition: ToolDefinition): boolean {
  return definitions.has(definition)
}

/** Says whether what a call of this tool starts is durable with a record of its own, so that it needs no `run`. */
export function recordsItsStart(tool: Tool | undefined): boolean {
  return tool !== undefined && seats.has(tool) && (tool.info.name === 'StartAgent' || tool.info.name === 'MessageAgent')
}

/**
 * Defines the agent tools of a loop: StartAgent alone, or all four when its agents are managed. They are prepared,
 * sealed and run like any other tool, with an empty request, since a loop's agents are its own.
 */
export function defineAgentTools(menu: AgentMenu): ToolDefinition {
  const names: readonly AgentToolName[] = menu.style === 'managed' ? agentToolNames : ['StartAgent']
  // once for all sessions: a schema costs more than all else that a tool is made of
  const schemas = new Map(names.map((name) => [name, agentArguments(name, menu)]))
  const define = (seat: AgentSeat) =>
    [...schemas].map(([name, inputSchema]) => defineAgentTool(name, inputSchema, menu, seat))
  const identities = define({}).flatMap((definition) => definition.produces)
  const definition: ToolDefinition = Object.freeze({
    name: 'AgentTools',
    requires: Object.freeze([]),
    produces: Object.freeze(identities),
    build: async (bindings: Parameters<ToolDefinition['build']>[0]) => {
      const seat: AgentSeat = {}
      const built = await Promise.all(define(seat).map((definition) => definition.build(bindings)))
      return built.flat().map((tool) => seatedTool(tool, seat))
    },
  })
  definitions.add(definition)
  return definition
}

function defineAgentTool(
  name: AgentToolName,
  inputSchema: ReturnType<typeof agentArguments>,
  menu: AgentMenu,
  seat: AgentSeat,
) {
  return defineTool({
    name,
    description: describeAgentTool(name, menu),
    replaySafe: name === 'ListAgents',
    inputSchema,
    prepare: (request: AgentRequest) => ({ summary: summarize(request), artifact: request, requirements: [] }),
    run: (request, { executionId, signal }) => run(name, seat, { executionId, signal }, request),
    auditSummary: summarize,
  })
}

function run(
  name: AgentToolName,
  { controller }: AgentSeat,
  call: AgentCall,
  request: Frozen<AgentRequest>,
): ToolResult | Promise<ToolResult> {
  if (controller === undefined) return refusedResult(name, 'unavailable', 'there is no session')
  switch (request.tool) {
    case 'StartAgent':
      return controller.start(call, request)
    case 'MessageAgent':
      return controller.message(call, request)
    case 'ListAgents':
      return controller.list(request)
    case 'StopAgent':
      return controller.stop(request)
    default:
      return assertNever(request, 'agent request')
  }
}

/** One line without what the agent is told. */
function summarize(request: Frozen<AgentRequest>): string {
  switch (request.tool) {
    case 'StartAgent':
      return `start ${request.agentType}`
    case 'MessageAgent':
      return 'message an agent'
    case 'ListAgents':
      return 'list agents'
    case 'StopAgent':
      return 'stop an agent'
    default:
      return assertNever(request, 'agent request')
  }
}

/** The tool with a bound on its argument text, which only the raw text shows. */
function seatedTool(tool: Tool, seat: AgentSeat): Tool {
  const seated: Tool = Object.freeze({
    info: tool.info,
    replaySafe: tool.replaySafe,
    sequential: tool.sequential,
    prepareCall: async (context, argsJson) => {
      checkArgumentSize(argsJson)
      return tool.prepareCall(context, argsJson)
    },
    invoke: (context, argsJson) => tool.invoke(context, argsJson),
    writeTarget: (artifact: JsonValue) => tool.writeTarget(artifact),
    auditSummary: (artifact: JsonValue) => tool.auditSummary(artifact),
  } satisfies Tool)
  seats.set(seated, seat)
  return seated
}
