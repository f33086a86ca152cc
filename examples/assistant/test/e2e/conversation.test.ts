import { describe, expect, it } from 'vitest'
import { arrangePlace } from './program-process.ts'

describe('lines from a pipe', () => {
  it('are queued, answered in order, and end the program with their end', async () => {
    const { start, scripted } = arrangePlace()
    const run = start(scripted({ text: 'one', delayMs: 50 }, { text: 'two' }, { text: 'three' }))

    run.child.stdin.end('first\nsecond\nthird\n')

    expect(await run.ended).toMatchObject({ code: 0, stdout: 'one\ntwo\nthree\n' })
  })
})
