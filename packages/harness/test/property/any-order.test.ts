import { describe, it } from 'vitest'
import { expectLaws } from './expect-laws.ts'
import { crowdedScript, quietScript } from './scripts.ts'

describe('any script of acts', () => {
  it('keeps every law while its owner lives on', () => expectLaws(quietScript), 120_000)

  it('keeps every law while more comes than can wait', () => expectLaws(crowdedScript, 0.1), 120_000)
})
