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

  /** Says whether no other loop works or is about to. A compaction between turns is no work that readers are told of. */
  isAlone(loop: LoopHandle): boolean {
    return this.all().every((other) => other === loop || other.isCompacting || other.state === 'idle')
  }
}
