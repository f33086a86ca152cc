import type { LoopId } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import type { LoopTools } from '../runtime/loop-config.ts'
import type { LoopHandle } from '../runtime/loop-handle.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import type { LoopState } from '../runtime/loop-state.ts'
import type { OpenStep } from '../runtime/open-step.ts'
import { shapeResult } from '../runtime/result-message.ts'
import type { StepCall } from '../runtime/step-call.ts'
import type { Draft } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'
import { type Agent, stateOf } from './agent.ts'
import { answerResult, answerRoom, deliveredResult, listResult, refusedResult, stoppedResult } from './agent-answer.ts'
import type { AgentController } from './agent-controller.ts'
import type { AgentHost } from './agent-host.ts'
import type { ListAgentsRequest, StopAgentRequest } from './agent-request.ts'
import { agentSeat } from './agent-tool.ts'
import { awaitAnswer } from './await-answer.ts'
import { Errand, type OpenErrand } from './errand.ts'
import { handBackDraft, makeHandBack } from './hand-back.ts'
import type { LoopAgents } from './loop-agents.ts'
import { messageAgent } from './message-agent.ts'
import { startAgent } from './start-agent.ts'

/** The agents of one session: what their tools do, and what their loops have to know of each other. */
export class SessionAgents implements LoopAgents {
  readonly #host: AgentHost
  /** The turns that were stopped by themselves: what they started goes on. */
  readonly #stoppedAlone = new Set<string>()

  constructor(host: AgentHost) {
    this.#host = host
  }

  /**
   * Makes a loop of the session and seats its agent tools. A loop that was started as an agent is one again; the loop
   * that started it came before.
   *
   * @throws TypeError when it did not: a restore refuses that before.
   */
  take(state: LoopState): LoopRuntime {
    const loop = this.#host.create(state)
    this.seat(loop, state.tools)
    if (state.agent === undefined) return loop
    const parent = this.#host.loop(state.agent.parentId)
    if (parent === undefined) throw new TypeError('an agent without the loop that started it')
    this.#host.directory.add({ agentId: loop.id, name: state.agent.name, loop, parent })
    return loop
  }

  /** The loop that started this one; nothing for one that started with its session. */
  parentOf(loopId: LoopId): LoopId | undefined {
    return this.#host.directory.find(loopId)?.parent.id
  }

  /** Takes up the requests that had no outcome when their session was restored. */
  reopen(errands: readonly OpenErrand[], started: number): void {
    const { directory } = this.#host
    directory.started = Math.max(directory.started, started)
    for (const { inputId, agentId, caller, isAwaited } of errands) {
      const agent = directory.find(agentId)
      if (agent === undefined) continue
      const errand = new Errand(inputId, agent, caller)
      errand.isAwaited = isAwaited
      directory.open(errand)
    }
  }

  /** Lets the agent tools of a loop drive its agents. */
  seat(loop: LoopRuntime, tools: LoopTools): void {
    const controller = this.#controllerOf(loop)
    for (const tool of [...tools.values()].flat()) {
      const seat = agentSeat(tool)
      if (seat !== undefined) seat.controller = controller
    }
  }

  #controllerOf(loop: LoopRuntime): AgentController {
    return {
      start: (call, request) => startAgent(this.#host, loop, call, request),
      message: (call, request) => messageAgent(this.#host, loop, call, request),
      list: (request) => this.#list(loop, request),
      stop: (request) => this.#stop(loop, request),
    }
  }

  /** An input has its outcome; one of no agent is fine. */
  settle(result: TurnResult): void {
    this.#host.directory.settle(result)
  }

  /** The session faulted: no call may wait for an agent any more. */
  fail(): void {
    this.#host.directory.abandon()
  }

  waitsForPeople(step: OpenStep): boolean {
    const running = step.calls.filter((call) => call.spawned && call.result === undefined)
    return running.length > 0 && running.every((call) => this.#waitsAtGate(call))
  }

  isAsking({ executionId }: StepCall): boolean {
    const errand = this.#host.directory.errandOf(executionId)
    return errand?.result === undefined && errand?.isAwaited === true && errand.agent.loop.isAsking
  }

  mayPark(loop: LoopHandle): boolean {
    const awaited = this.#host.directory
      .errandsFor(loop.id)
      .filter((errand) => errand.isAwaited && loop.turnOf(errand.inputId) !== undefined)
    return awaited.every(({ agent }) => {
      const reason = agent.parent.stopReason
      return reason === undefined || reason === 'park'
    })
  }

  async stopBelow(loop: LoopHandle): Promise<void> {
    const { turnId } = loop.active ?? {}
    if (turnId !== undefined && this.#stoppedAlone.has(turnId)) return
    await Promise.all(this.#host.directory.childrenOf(loop.id).map((agent) => agent.loop.stop('interrupt')))
  }

  leave(step: OpenStep): void {
    this.#host.directory.forget(step.calls.map(({ executionId }) => executionId))
  }

  async finish(step: OpenStep, signal: AbortSignal, resultBytes: number): Promise<void> {
    // a request that is on its way to the journal counts; after a fault nothing does, and whoever closes the step is told
    await this.#host.log.commit(() => undefined).catch(() => undefined)
    const unended = step.calls.filter((call) => call.result === undefined)
    await Promise.all(unended.map((call) => this.#finishCall(step, call, signal, resultBytes)))
  }

  /** Gives a call that is to be closed what its agent came to: a request that was made has never an unknown outcome. */
  async #finishCall(step: OpenStep, call: StepCall, signal: AbortSignal, resultBytes: number): Promise<void> {
    const { clock, directory } = this.#host
    const errand = directory.errandOf(call.executionId)
    if (errand === undefined) return
    const { agent } = errand
    const room = answerRoom(step.calls.length, resultBytes)
    const awaited = errand.isAwaited ? await awaitAnswer(errand, clock, signal, 0) : undefined
    const result =
      awaited?.came === 'answer'
        ? answerResult(agent, awaited.answer, stateOf(agent), room)
        : deliveredResult(agent, 'working', 'accepted_pending', room)
    call.result ??= shapeResult(call.toolUseId, result, room.journalBytes)
  }

  handBack(loop: LoopHandle, results: readonly TurnResult[]): Draft | undefined {
    const { directory, ending } = this.#host
    if (ending() === 'stop') return undefined
    const told = results.filter(({ inputId }) => directory.openErrand(inputId)?.isBackground === true)
    const agent = directory.find(loop.id)
    // one turn is told once, also when it took in several requests
    const once = new Map(told.map((result) => [result.turnId ?? result.inputId, result]))
    if (agent === undefined || once.size === 0) return undefined
    const state = loop.queueLength > 0 ? 'working' : 'idle'
    const handBacks = [...once.values()].map((result) => makeHandBack(agent.parent.id, agent, result, state))
    return handBackDraft(agent.parent, handBacks)
  }

  #waitsAtGate({ executionId }: StepCall): boolean {
    const errand = this.#host.directory.errandOf(executionId)
    return errand?.result === undefined && errand?.isAwaited === true && errand.agent.loop.state === 'waiting'
  }

  #list(parent: LoopRuntime, { agentId }: ListAgentsRequest): ToolResult {
    const { directory } = this.#host
    const one = agentId === undefined ? undefined : directory.childOf(parent.id, agentId)
    if (agentId !== undefined && one === undefined) return refusedResult('ListAgents', 'not_owned', notOwned)
    const agents = one === undefined ? directory.childrenOf(parent.id) : [one]
    const room = answerRoom(parent.openStep?.calls.length ?? 1, parent.limits.resultBytes)
    return listResult(
      agents.map((agent) => row(parent, agent)),
      room,
    )
  }

  async #stop(parent: LoopRuntime, { agentId }: StopAgentRequest): Promise<ToolResult> {
    const agent = this.#host.directory.childOf(parent.id, agentId)
    if (agent === undefined) return refusedResult('StopAgent', 'not_owned', notOwned)
    const previous = stateOf(agent)
    const { turnId } = agent.loop.active ?? {}
    if (turnId !== undefined) this.#stoppedAlone.add(turnId)
    try {
      await agent.loop.stop('interrupt')
    } finally {
      if (turnId !== undefined) this.#stoppedAlone.delete(turnId)
    }
    return stoppedResult(agent.agentId, previous, stateOf(agent))
  }
}

const notOwned = 'you started no agent with this id'

function row(parent: LoopRuntime, agent: Agent) {
  const { loop, agentId, name } = agent
  const { name: type } = loop.definition
  const state = parent.definition.delegates.includes(type) ? stateOf(agent) : ('unavailable' as const)
  return { agentId, name, type, state, queued: loop.queueLength, mode: loop.settings.config.choice.mode }
}
