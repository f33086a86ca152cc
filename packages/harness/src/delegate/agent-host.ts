import type { LoopId } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { LoopTools } from '../runtime/loop-config.ts'
import type { SessionEnding } from '../runtime/loop-host.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import type { LoopState } from '../runtime/loop-state.ts'
import type { SessionLog } from '../session/session-log.ts'
import type { AgentDirectory } from './agent-directory.ts'
import type { DelegationLimits } from './delegation-limits.ts'

/** What the agents of a session need of it. */
export interface AgentHost {
  readonly log: SessionLog
  readonly clock: Clock
  readonly ids: IdSource
  readonly limits: DelegationLimits
  readonly directory: AgentDirectory
  /** A loop of the rig. */
  definition(name: string): LoopDefinition | undefined
  /** Builds the tools of a new loop. */
  build(definition: LoopDefinition, loopId: LoopId): Promise<LoopTools>
  /** A loop of the session. */
  loop(id: LoopId): LoopRuntime | undefined
  /** Makes a loop that nobody knows yet. */
  create(state: LoopState): LoopRuntime
  /** Lets the agent tools of a loop drive its agents. */
  seat(loop: LoopRuntime, tools: LoopTools): void
  /** A loop's start is durable: it is one of the session's. */
  started(loop: LoopRuntime): void
  ending(): SessionEnding | undefined
  /** A call waits for an agent: what is left may only wait for people. */
  changed(): void
}
