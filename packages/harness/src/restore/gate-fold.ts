import type { GateId, ToolExecutionId } from '@looprig/core'
import type { EnduringEvent } from '../event/event.ts'
import { gateResult } from '../runtime/gate-result.ts'
import type { ShapedResult } from '../runtime/result-message.ts'

/** The event that opened a gate, with the store's time of its record. */
export type StoredGate = Extract<EnduringEvent, { readonly type: 'PermissionRequested' | 'UserInputRequested' }>

/** The event that closed a gate, with the store's time of its record. */
export type StoredResolution = Extract<EnduringEvent, { readonly type: 'GateResolved' }>

/** A gate that is closed. */
export interface ClosedGateFold {
  readonly asked: StoredGate
  readonly event: StoredResolution
}

/** The gates of one open step, as its records tell them. */
export class GateFold {
  /** Those that are open, the oldest first. */
  readonly open = new Map<GateId, StoredGate>()
  /** Those that are closed, by the call that they are of, the oldest first. */
  readonly closed = new Map<ToolExecutionId, readonly ClosedGateFold[]>()
  /** A running tool asked a question: its step had begun to run. */
  hasLive = false

  ask(asked: StoredGate): void {
    this.open.set(asked.gateId, asked)
    if (asked.type === 'UserInputRequested' && asked.live === true) this.hasLive = true
  }

  resolve(event: StoredResolution): void {
    const asked = this.open.get(event.gateId)
    if (asked === undefined) return
    this.open.delete(event.gateId)
    this.closed.set(asked.toolExecutionId, [...(this.closed.get(asked.toolExecutionId) ?? []), { asked, event }])
  }

  /** Says whether a person was ever asked before the step ran. */
  get hasAsked(): boolean {
    return this.open.size + this.closed.size > 0
  }

  /** The open gate of a call. */
  openOf(executionId: ToolExecutionId): StoredGate | undefined {
    return [...this.open.values()].find((asked) => asked.toolExecutionId === executionId)
  }

  /** The result that a call has by its closed gates; nothing when they let it run. */
  resultOf(executionId: ToolExecutionId, toolUseId: string, calls: number): ShapedResult | undefined {
    for (const gate of this.closed.get(executionId) ?? []) {
      const result = gateResult(gate, toolUseId, calls)
      if (result !== undefined) return result
    }
    return undefined
  }
}
