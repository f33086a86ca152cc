/** How a case of the contract is written down. */
import type { Bench } from './bench.ts'

/** The time that the store of a case is told, in milliseconds since 1970. */
export interface TestClock {
  now: number
}

/** Adds one case: a rule as a sentence, and what shows it. */
export type AddCase = (rule: string, run: (bench: Bench, clock: TestClock) => Promise<void>) => void
