import fc from 'fast-check'
import { describe, it } from 'vitest'
import { play } from './play.ts'
import { crowdedScript, quietScript, restartedScript, troubledScript } from './scripts.ts'

/** On failure fast-check prints the seed and the shortest script it found; play that script, or give it the seed. */
const seed = Number(process.env.PROPERTY_SEED ?? 0) || undefined
const runs = Number(process.env.PROPERTY_RUNS ?? 0) || 400
const scene = fc.record({ guarded: fc.boolean(), timeoutMs: fc.constantFrom(undefined, undefined, 3_000) })

describe('any script of acts', () => {
  it.each([
    ['while its owner lives on', quietScript, runs],
    ['while owners come and go', restartedScript, runs],
    ['while the store has troubles', troubledScript, runs],
    ['while more comes than can wait', crowdedScript, runs / 10],
  ])('keeps every law %s', async (_, scripts, numRuns) => {
    await fc.assert(fc.asyncProperty(scripts, scene, play), { numRuns, ...(seed === undefined ? {} : { seed }) })
  })
})
