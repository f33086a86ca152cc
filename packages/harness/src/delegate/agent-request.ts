/** Starts an agent and gives it its first request. */
export interface StartAgentRequest {
  readonly tool: 'StartAgent'
  /** The name of a loop of the rig. */
  readonly agentType: string
  readonly instructions: string
  /** What the caller calls it; by default its type. */
  readonly name?: string
  /** The mode that it begins in; by default the loop's own. */
  readonly mode?: string
  /** The call's result is the agent's answer; else the answer comes as an input of its own. */
  readonly wait: boolean
  /** How long it may take before it is stopped; 0 for as long as it takes. */
  readonly timeoutSeconds: number
}

/** Gives an agent one more request. */
export interface MessageAgentRequest {
  readonly tool: 'MessageAgent'
  readonly agentId: string
  readonly message: string
  readonly wait: boolean
  /** How long the caller waits; the agent goes on. 0 for as long as it takes. */
  readonly timeoutSeconds: number
}

/** Tells the agents of the caller, or one of them. */
export interface ListAgentsRequest {
  readonly tool: 'ListAgents'
  readonly agentId?: string
}

/** Interrupts one agent; it can be given more to do. */
export interface StopAgentRequest {
  readonly tool: 'StopAgent'
  readonly agentId: string
}

/** What a call of an agent tool asks for: the artifact that is sealed and runs. Plain JSON data. */
export type AgentRequest = StartAgentRequest | MessageAgentRequest | ListAgentsRequest | StopAgentRequest
