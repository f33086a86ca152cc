import type { InputId, LoopId, ToolExecutionId } from '@looprig/core'
import type { TurnResult } from '../session/submission.ts'
import type { Agent } from './agent.ts'
import type { Errand } from './errand.ts'

/** The agents of one session, and what they were asked. It grows with the session, up to its quota. */
export class AgentDirectory {
  readonly #agents = new Map<LoopId, Agent>()
  /** Without an outcome. */
  readonly #open = new Map<InputId, Errand>()
  /** Of the calls of open steps, with their outcome too: a call that is tried again asks for nothing new. */
  readonly #byCall = new Map<ToolExecutionId, Errand>()

  /** How many agents were ever started, those too whose definition is gone. */
  started = 0

  /** Adds an agent; call it when its start is durable. */
  add(agent: Agent): void {
    this.#agents.set(agent.agentId, agent)
    this.started += 1
  }

  find(id: LoopId): Agent | undefined {
    return this.#agents.get(id)
  }

  /** The agent of this id, if this loop started it. */
  childOf(parentId: LoopId, agentId: string): Agent | undefined {
    return this.childrenOf(parentId).find((agent) => agent.agentId === agentId)
  }

  /** The agents that a loop started, the oldest first. */
  childrenOf(parentId: LoopId): readonly Agent[] {
    return [...this.#agents.values()].filter((agent) => agent.parent.id === parentId)
  }

  /** How many loops are above this one: 0 for one that started with its session. */
  levelOf(loopId: LoopId): number {
    const agent = this.#agents.get(loopId)
    return agent === undefined ? 0 : 1 + this.levelOf(agent.parent.id)
  }

  /** Adds a request; call it when it is durable. */
  open(errand: Errand): void {
    this.#open.set(errand.inputId, errand)
    this.#byCall.set(errand.caller.toolExecutionId, errand)
  }

  /** A request that has no outcome yet. */
  openErrand(inputId: InputId): Errand | undefined {
    return this.#open.get(inputId)
  }

  /** What a call asked for. */
  errandOf(executionId: ToolExecutionId): Errand | undefined {
    return this.#byCall.get(executionId)
  }

  /** The requests of an agent that have no outcome yet. */
  errandsFor(loopId: LoopId): readonly Errand[] {
    return [...this.#open.values()].filter(({ agent }) => agent.agentId === loopId)
  }

  /** An input has its outcome. */
  settle(result: TurnResult): void {
    const errand = this.#open.get(result.inputId)
    this.#open.delete(result.inputId)
    errand?.settle(result)
  }

  /** The session faulted: what has no outcome has none. */
  abandon(): void {
    for (const errand of this.#open.values()) errand.abandon()
  }

  /** The calls of a step have their results. */
  forget(executionIds: readonly ToolExecutionId[]): void {
    for (const id of executionIds) this.#byCall.delete(id)
  }
}
