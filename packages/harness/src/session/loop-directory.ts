import type { LoopId } from '@looprig/core'
import type { LoopHandle } from '../runtime/loop-handle.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'

/** The loops of a live session, in the order in which they started. It grows while the session lives. */
export class LoopDirectory {
  readonly #loops = new Map<LoopId, LoopRuntime>()

  /** Adds a loop; call it when its start is durable. */
  add(loop: LoopRuntime): void {
    this.#loops.set(loop.id, loop)
  }

  find(id: LoopId): LoopRuntime | undefined {
    return this.#loops.get(id)
  }

  all(): readonly LoopRuntime[] {
    return [...this.#loops.values()]
  }

  /**
   * Says whether no other loop has a turn, be it parked: what waits for one, or a compaction, is no work that readers are
   * told of.
   */
  isAlone(loop: LoopHandle): boolean {
    return this.all().every((other) => other === loop || (other.active === undefined && !other.isParked))
  }

  /** Says whether a loop beside `except` has work: a turn that does not only wait for people, or what waits for one. */
  works(except?: LoopHandle): boolean {
    return this.all().some((loop) => {
      if (loop === except) return false
      if (loop.active !== undefined) return loop.state === 'working'
      return loop.queueLength > 0 && !loop.isParked
    })
  }
}
