import type { LoopId } from '@looprig/core'
import { processError } from '../codes.ts'
import type { ResolvedSettings } from './settings.ts'

/** A place that a running process takes; given back once. */
export interface QuotaShare {
  release(): void
}

/** Counts what runs. All limits are checked before anything is taken. */
export class Quota {
  readonly #perLoop = new Map<LoopId, number>()
  #running = 0
  #spoolBytes = 0

  /** @throws ToolError `process_quota_exceeded` */
  reserve(loopId: LoopId, spoolBytes: number, limits: ResolvedSettings): QuotaShare {
    const ofLoop = this.#perLoop.get(loopId) ?? 0
    const fits =
      ofLoop < limits.maxRunningPerLoop &&
      this.#running < limits.maxRunningPerSession &&
      this.#spoolBytes + spoolBytes <= limits.maxSpoolBytesPerSession
    if (!fits) throw processError('process_quota_exceeded')
    this.#perLoop.set(loopId, ofLoop + 1)
    this.#running += 1
    this.#spoolBytes += spoolBytes
    let isReleased = false
    return {
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#leave(loopId, spoolBytes)
      },
    }
  }

  #leave(loopId: LoopId, spoolBytes: number): void {
    const left = (this.#perLoop.get(loopId) ?? 1) - 1
    if (left === 0) this.#perLoop.delete(loopId)
    else this.#perLoop.set(loopId, left)
    this.#running -= 1
    this.#spoolBytes -= spoolBytes
  }
}
