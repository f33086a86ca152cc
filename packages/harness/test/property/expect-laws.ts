import fc from 'fast-check'
import { play } from './play.ts'

/**
 * On failure fast-check prints the seed and the shortest script that it found. Put the script into
 * `regressions.test.ts`, or go on from the seed: `PROPERTY_SEED=123 npx vitest run packages/harness/test/property`.
 * `PROPERTY_RUNS` makes more of them. In CI the seed is always the same, so that a change fails by itself alone: hunts are
 * made by hand.
 */
const seed = Number(process.env.PROPERTY_SEED ?? (process.env.CI === undefined ? 0 : 20_261_201)) || undefined
const runs = Number(process.env.PROPERTY_RUNS ?? 0) || 300

const options = fc.record({ guarded: fc.boolean(), timeoutMs: fc.constantFrom(undefined, undefined, 3_000) })

/** Plays scripts that are drawn by chance, with and without guards and time limits, and checks every law. */
export async function expectLaws(scripts: fc.Arbitrary<readonly string[]>, share = 1): Promise<void> {
  const numRuns = Math.ceil(runs * share)
  await fc.assert(fc.asyncProperty(scripts, options, play), { numRuns, ...(seed === undefined ? {} : { seed }) })
}
