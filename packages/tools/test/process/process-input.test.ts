import { describe, expect, it } from 'vitest'
import { idOf, openSession, type ProcessSession } from './support/process-session.ts'

/** A process that can be written to. */
async function talking(session: ProcessSession, command: string): Promise<string> {
  return idOf(await session.json('Bash', { command, yield_time_ms: 0 }))
}

describe('ProcessInput', () => {
  it('writes, and shows what the process answers', async () => {
    const session = await openSession()
    const id = await talking(session, 'while read line; do echo "got $line"; done; echo end')

    const first = await session.json('ProcessInput', { process_id: id, data: 'one\n', yield_time_ms: 5_000 })
    const last = await session.json('ProcessInput', { process_id: id, data: 'two\n', eof: true, yield_time_ms: 5_000 })

    expect(first).toMatchObject({ status: 'running', output: 'got one\n', start_cursor: 0, next_cursor: 8 })
    expect(last).toMatchObject({ start_cursor: 8 })
    expect(await session.ended(id)).toMatchObject({ status: 'exited', output: 'got one\ngot two\nend\n' })
  })

  it('ends the input once, however often it is asked', async () => {
    const session = await openSession()
    const id = await talking(session, 'cat; sleep 30')

    const ends = [
      await session.call('ProcessInput', { process_id: id, eof: true }),
      await session.call('ProcessInput', { process_id: id, eof: true }),
    ]
    const after = await session.call('ProcessInput', { process_id: id, data: 'x' })

    expect(ends.map(({ isError }) => isError)).toEqual([false, false])
    expect(after).toMatchObject({ isError: true, code: 'stdin_closed' })
  })

  it('gives up within a second on a process that never reads', async () => {
    const session = await openSession()
    const id = await talking(session, 'sleep 30')
    const start = performance.now()

    const result = await session.call('ProcessInput', { process_id: id, data: 'x'.repeat(500_000) })

    expect(result).toMatchObject({ isError: true, code: 'input_backpressure' })
    expect(performance.now() - start).toBeLessThan(1_500)
  })

  it('keeps no more for it than is allowed', async () => {
    const session = await openSession({ bash: { processes: { maxPendingInputBytes: 600_000 } } })
    const id = await talking(session, 'sleep 30')
    await session.call('ProcessInput', { process_id: id, data: 'x'.repeat(500_000) })
    const start = performance.now()

    const result = await session.call('ProcessInput', { process_id: id, data: 'x'.repeat(500_000) })

    expect(result).toMatchObject({ isError: true, code: 'input_backpressure' })
    expect(performance.now() - start).toBeLessThan(490)
  })

  it('keeps the order of calls that come at once', async () => {
    const session = await openSession()
    const id = await talking(session, 'cat')

    await Promise.all(
      Array.from({ length: 20 }, (_, index) => session.call('ProcessInput', { process_id: id, data: `${index}\n` })),
    )
    await session.call('ProcessInput', { process_id: id, eof: true })

    expect(
      String((await session.ended(id)).output)
        .trim()
        .split('\n')
        .sort((a, b) => Number(a) - Number(b)),
    ).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
  })

  it('is refused by a process that has ended', async () => {
    const session = await openSession()
    const id = await session.start('true')
    await session.ended(id)

    expect((await session.call('ProcessInput', { process_id: id, data: 'x' })).code).toBe('stdin_closed')
  })

  it('is refused by a process whose input is empty', async () => {
    const session = await openSession()
    const id = await session.start('sleep 30')

    expect((await session.call('ProcessInput', { process_id: id, data: 'x' })).code).toBe('stdin_closed')
  })

  it('changes no size where there is no terminal, and writes nothing then', async () => {
    const session = await openSession()
    const id = await talking(session, 'cat')

    const result = await session.call('ProcessInput', { process_id: id, rows: 10, cols: 10, data: 'SENTINEL\n' })
    await session.call('ProcessInput', { process_id: id, eof: true })

    expect(result).toMatchObject({ isError: true, code: 'pty_unavailable' })
    expect(await session.ended(id)).toMatchObject({ output: '' })
  })

  it('tells no audit what is typed', async () => {
    const session = await openSession()
    const id = await talking(session, 'cat')
    const tool = session.tools.ProcessInput
    const context = { executionId: session.sessionId as never, toolUseId: 'c', signal: new AbortController().signal } // not looked at
    const prepared = await tool?.prepareCall(context, JSON.stringify({ process_id: id, data: 'SENTINEL' }))

    expect(tool?.auditSummary(prepared?.artifact ?? null)).not.toContain('SENTINEL')
    expect(JSON.stringify(prepared?.request)).not.toContain('SENTINEL')
  })

  it.each([
    [{}, 'data'],
    [{ rows: 1 }, 'rows'],
    [{ rows: 0, cols: 1 }, 'rows'],
    [{ rows: 1, cols: 70_000 }, 'cols'],
    [{ data: 1 }, 'data'],
    [{ eof: false }, 'data'],
    [{ data: 'x', cursor: -1 }, 'cursor'],
    [{ data: 'x'.repeat(1_048_577) }, 'data'],
  ])('refuses its arguments by name (%#)', async (args, name) => {
    const session = await openSession()

    await expect(session.call('ProcessInput', { process_id: 'AAAAAAAAAAAAAAAAAAAAAA', ...args })).rejects.toMatchObject(
      { code: 'invalid_arguments', message: expect.stringContaining(name) },
    )
  })
})
