import { describe, it } from 'vitest'
import { expectLaws } from './expect-laws.ts'
import { restartedScript, troubledScript } from './scripts.ts'

describe('any script of acts, with owners that come and go', () => {
  it('keeps every law while the store works', () => expectLaws(restartedScript), 120_000)

  it('keeps every law while the store has troubles', () => expectLaws(troubledScript), 120_000)
})
