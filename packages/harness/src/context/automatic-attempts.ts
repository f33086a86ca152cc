import type { ContextLevel } from './context-level.ts'

type PressedLevel = Exclude<ContextLevel, 'normal'>

/**
 * When a loop may try to compact by itself. After a compaction the pressure must have been `normal` before the next one;
 * after a rejected one there must be something else to summarise. At the hard limit there is one more try for each.
 */
export class AutomaticAttempts {
  #isArmed = true
  #rejected: { readonly tailFrom: number; readonly level: PressedLevel } | undefined

  /** @param tailFrom - where the tail would begin: it says what would be summarised. */
  mayTry(tailFrom: number, level: PressedLevel): boolean {
    if (!this.#isArmed && level !== 'hard') return false
    if (this.#rejected?.tailFrom !== tailFrom) return true
    return level === 'hard' && this.#rejected.level !== 'hard'
  }

  committed(): void {
    this.#isArmed = false
    this.#rejected = undefined
  }

  rejected(tailFrom: number, level: PressedLevel): void {
    this.#rejected = { tailFrom, level }
  }

  /** The pressure is `normal`. */
  rearm(): void {
    this.#isArmed = true
    this.#rejected = undefined
  }
}
