/** The names of the tools that the harness gives to a loop with delegates, in the order of a request. */
export const agentToolNames = ['ListAgents', 'MessageAgent', 'StartAgent', 'StopAgent'] as const

/** The name of one of them. */
export type AgentToolName = (typeof agentToolNames)[number]

/** Says whether a tool's name is the harness's own: no other tool may have it. */
export function isAgentToolName(name: string): name is AgentToolName {
  return agentToolNames.some((reserved) => reserved === name)
}
