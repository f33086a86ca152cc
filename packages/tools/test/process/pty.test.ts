import { describe, expect, it } from 'vitest'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import { idOf, openSession, type ProcessSession } from './support/process-session.ts'

const enabled = { bash: { tty: true, processes: { graceMs: 300 } } }

/** Waits until the output holds the text. */
async function shows(session: ProcessSession, id: string, text: string): Promise<string> {
  let cursor = 0
  let all = ''
  const until = performance.now() + 20_000
  while (!all.includes(text)) {
    if (performance.now() > until) throw new Error(`never showed ${text}: ${JSON.stringify(all)}`)
    const page = await session.json('ProcessOutput', { process_id: id, cursor, wait: 'any', timeout_ms: 10_000 })
    if (page.next_cursor === cursor && page.status !== 'running') throw new Error(`ended without ${text}: ${all}`)
    all += String(page.output)
    cursor = Number(page.next_cursor)
  }
  return all
}

describe('a process in a terminal', () => {
  it('has one, of a size that can be changed', async () => {
    const session = await openSession(enabled)
    const command =
      'test -t 0 && test -t 1 && stty size; trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done'
    const id = idOf(await session.json('Bash', { command, background: true, tty: true }))

    expect(await shows(session, id, 'ready')).toContain('24 80')
    const resized = await session.call('ProcessInput', { process_id: id, rows: 40, cols: 132 })

    expect(resized.isError).toBe(false)
    expect(await shows(session, id, '40 132')).toContain('40 132')
  })

  it('reads what is typed, and its end', async () => {
    const session = await openSession(enabled)
    const id = idOf(await session.json('Bash', { command: 'cat; echo over', yield_time_ms: 0, tty: true }))

    await session.json('ProcessInput', { process_id: id, data: 'typed é\n', yield_time_ms: 5_000 })
    await session.json('ProcessInput', { process_id: id, eof: true, yield_time_ms: 5_000 })

    expect(await session.ended(id)).toMatchObject({ status: 'exited', exit_code: 0 })
    expect(await shows(session, id, 'over')).toMatch(/typed é\r\ntyped é\r\nover/)
  })

  it('is ended with all that it started', async () => {
    const session = await openSession(enabled)
    const sleep = markedSleep()
    const command = `trap "" TERM HUP; echo on; sleep ${sleep} | cat`
    const id = idOf(await session.json('Bash', { command, background: true, tty: true }))
    await shows(session, id, 'on')

    const json = await session.json('ProcessStop', { process_id: id, mode: 'terminate', grace_ms: 200 })

    expect(json).toMatchObject({ status: 'killed' })
    expect(processesWith(sleep)).toEqual([])
  })

  it('tells its exit code, and the signal that ended it', async () => {
    const session = await openSession(enabled)

    const exited = await session.json('Bash', { command: 'exit 7', yield_time_ms: 9_000, tty: true })
    const id = idOf(await session.json('Bash', { command: 'exec sleep 30', background: true, tty: true }))
    const killed = await session.json('ProcessStop', { process_id: id, mode: 'kill' })

    expect(exited).toMatchObject({ status: 'exited', exit_code: 7 })
    expect(killed).toMatchObject({ status: 'killed' })
  })

  it('loses nothing of much output', async () => {
    const session = await openSession(enabled)
    const command = 'stty -opost; yes 1234567 | head -c 2000000'

    const json = await session.json('Bash', { command, yield_time_ms: 20_000, tty: true })

    expect(json).toMatchObject({ status: 'exited', total_bytes: 2_000_000 })
  })

  it('gives up on a program that never reads, and keeps no more for it than is allowed', async () => {
    const session = await openSession({
      bash: { tty: true, processes: { maxPendingInputBytes: 200_000, graceMs: 300 } },
    })
    const command = 'stty raw -echo; echo on; sleep 30'
    const id = idOf(await session.json('Bash', { command, background: true, tty: true }))
    await shows(session, id, 'on')

    const codes: unknown[] = []
    for (let index = 0; index < 4; index += 1) {
      codes.push((await session.call('ProcessInput', { process_id: id, data: 'x'.repeat(90_000) })).code)
    }

    codes.push((await session.call('ProcessInput', { process_id: id, eof: true })).code)

    expect(codes.slice(1)).toEqual(Array(4).fill('input_backpressure'))
  })

  it('is interrupted as by a key', async () => {
    const session = await openSession(enabled)
    const sleep = markedSleep()
    const id = idOf(await session.json('Bash', { command: `sleep ${sleep}`, background: true, tty: true }))
    expect(await becomes(() => processesWith(`sleep\0${sleep}`).length === 1)).toBe(true)

    await session.json('ProcessInput', { process_id: id, data: '\u0003' })

    expect(await session.ended(id)).toMatchObject({ status: 'interrupted' })
  })

  it('takes the jobs of an interactive shell with it', async () => {
    const session = await openSession(enabled)
    const sleep = markedSleep()
    const id = idOf(await session.json('Bash', { command: 'bash --norc -i', background: true, tty: true }))
    await session.json('ProcessInput', { process_id: id, data: `trap '' HUP; sleep ${sleep} & sleep ${sleep}; echo\n` })
    await becomes(() => processesWith(`sleep\0${sleep}`).length === 2)

    const json = await session.json('ProcessStop', { process_id: id, mode: 'kill' })

    expect(json).toMatchObject({ status: 'killed' })
    expect(processesWith(sleep)).toEqual([])
  })

  it('is not to be had where it is not switched on', async () => {
    const session = await openSession()

    await expect(session.bash('true', { background: true, tty: true })).rejects.toMatchObject({
      code: 'pty_unavailable',
    })
    expect(session.services.events).toEqual([])
  })
})
