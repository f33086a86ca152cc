import type { InputId, LoopId } from '@looprig/core'
import { createDeferred } from '../clock/deferred.ts'
import type { TurnResult } from '../session/submission.ts'
import type { Agent } from './agent.ts'
import type { AgentCaller } from './agent-caller.ts'

/** A request that had no outcome when its session was restored. */
export interface OpenErrand {
  readonly inputId: InputId
  readonly agentId: LoopId
  readonly caller: AgentCaller
  /** The step of the call is open too: it waits for the answer. */
  readonly isAwaited: boolean
}

/** One request of a call to an agent, from the record that makes it durable to its outcome. */
export class Errand {
  readonly inputId: InputId
  readonly agent: Agent
  readonly caller: AgentCaller
  /** The call waits for the answer. */
  isAwaited: boolean
  readonly #outcome = createDeferred<TurnResult>()
  readonly #abandoned = createDeferred<void>()
  #result: TurnResult | undefined

  constructor(inputId: InputId, agent: Agent, caller: AgentCaller) {
    this.inputId = inputId
    this.agent = agent
    this.caller = caller
    this.isAwaited = caller.background !== true
  }

  /** Its answer comes as an input of the parent. */
  get isBackground(): boolean {
    return this.caller.background === true
  }

  /** What became of it, once that is durable. */
  get result(): TurnResult | undefined {
    return this.#result
  }

  /** Resolves with what became of it; never for one that a shutdown leaves where it is. */
  get outcome(): Promise<TurnResult> {
    return this.#outcome.promise
  }

  /** Resolves when it never has an outcome: the session faulted. */
  get abandoned(): Promise<void> {
    return this.#abandoned.promise
  }

  settle(result: TurnResult): void {
    this.#result ??= result
    this.#outcome.resolve(result)
  }

  /** Nobody may wait for it any more. */
  abandon(): void {
    this.#abandoned.resolve()
  }
}
