import type { LoopDirectory } from './loop-directory.ts'
import type { SessionLog } from './session-log.ts'

/** What says whether a session is at rest. */
export interface QuiescenceParts {
  readonly log: SessionLog
  readonly loops: LoopDirectory
  /** @throws SessionError when the session takes no more. */
  checkOpen(): void
}

/** Tells who waits for it when no loop works. What resources do beside the loops, such as processes, does not count. */
export class Quiescence {
  readonly #parts: QuiescenceParts
  readonly #waiters = new Set<() => void>()

  constructor(parts: QuiescenceParts) {
    this.#parts = parts
  }

  /** See `Session.waitIdle`. */
  async wait(orWaiting: boolean): Promise<'idle' | 'waiting'> {
    const { log, loops, checkOpen } = this.#parts
    for (;;) {
      // what came before this call counts: an input of another process, and one on its way to the journal, is not idle
      await log.catchUpNow()
      await log.commit(() => undefined)
      checkOpen()
      const busy = loops.all().filter((loop) => loop.state !== 'idle')
      if (busy.length === 0) return 'idle'
      if (orWaiting && busy.every((loop) => loop.isAsking)) return 'waiting'
      await new Promise<void>((resolve) => this.#waiters.add(resolve))
    }
  }

  /** A loop began to work, waits or rests, or the session ended. */
  changed(): void {
    for (const resolve of this.#waiters) resolve()
    this.#waiters.clear()
  }
}
