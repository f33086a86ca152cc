import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { arrangePlace } from './program-process.ts'

describe('bad input of the built program', () => {
  it('ends with 2, with nothing on stdout and nothing written', async () => {
    const { start, home } = arrangePlace()

    const { code, stdout, stderr } = await start(['--workspace', 'none', 'Q']).ended

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error: workspace .*none: there is no such file or folder\nNothing was written\. /)
    expect(readdirSync(home)).toEqual(['ws'])
  })

  it('of a script is told by its place, before anything is written', async () => {
    const { start, scripted, home } = arrangePlace()

    const { code, stderr } = await start([...scripted({ text: 'a' }, { error: { code: 'nope' } }), 'Q']).ended

    expect(code).toBe(2)
    expect(stderr).toMatch(/\[1\]\.error\.code: expected one of auth, /)
    expect(readdirSync(home)).toEqual(['script.json', 'ws'])
  })
})
