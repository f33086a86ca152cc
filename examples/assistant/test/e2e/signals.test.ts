import { describe, expect, it } from 'vitest'
import { arrangePlace } from './program-process.ts'

describe.skipIf(process.platform === 'win32')('signals', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends a running turn with 130, and it can be resumed',
    async (signal) => {
      const { start, scripted } = arrangePlace()
      const run = start([
        ...scripted({ toolCalls: [{ name: 'Glob', input: { pattern: '*' } }] }, { text: 'x', delayMs: 60_000 }),
        'First?',
      ])

      await run.seen('stderr', /Glob/)
      run.child.kill(signal)
      const { code, stderr } = await run.ended
      const list = JSON.parse((await start(['sessions', '--output-format', 'json']).ended).stdout)
      const again = await start([...scripted({ text: 'again' }), '--continue', 'Second?']).ended

      expect(code).toBe(130)
      expect(stderr).toContain('interrupted')
      expect(list).toMatchObject([{ status: 'interrupted', title: 'First?' }])
      expect(again).toMatchObject({ code: 0, stdout: 'again\n' })
    },
  )

  it('SIGINT leaves a conversation that is idle', async () => {
    const { start, scripted } = arrangePlace()
    const run = start(scripted({ text: 'one' }))
    run.child.stdin.write('First?\n')

    await run.seen('stdout', /one\n/)
    run.child.kill('SIGINT')

    expect((await run.ended).code).toBe(130)
  })
})
