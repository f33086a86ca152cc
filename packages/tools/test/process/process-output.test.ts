import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseId, uuidV7 } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { idOf, openSession, type ProcessSession } from './support/process-session.ts'

const random = 'AAAAAAAAAAAAAAAAAAAAAA'

async function finished(session: ProcessSession, command: string, args = {}): Promise<string> {
  const id = await session.start(command, args)
  await session.ended(id)
  return id
}

describe('ProcessOutput', () => {
  it('answers for one process with one flat object', async () => {
    const session = await openSession()
    const id = await finished(session, 'echo out; exit 7')

    const json = await session.json('ProcessOutput', { process_id: id })

    expect(json).toEqual({
      process_id: id,
      status: 'exited',
      output: 'out\n',
      start_cursor: 0,
      next_cursor: 4,
      total_bytes: 4,
      exit_code: 7,
      reason: 'exited',
      started_at: expect.any(String),
      finished_at: expect.any(String),
    })
  })

  it('answers for several in the order in which they were named', async () => {
    const session = await openSession()
    const [one, other] = [await finished(session, 'echo 1'), await finished(session, 'echo 2')]

    const { results } = await session.json('ProcessOutput', { process_ids: [other, random, one] })

    expect(results).toMatchObject([
      { process_id: other, output: '2\n' },
      { process_id: random, error: 'not_found' },
      { process_id: one, output: '1\n' },
    ])
  })

  it('is an error when the one process is not to be found', async () => {
    const session = await openSession()

    const result = await session.call('ProcessOutput', { process_id: random })

    expect(result).toMatchObject({ isError: true, code: 'not_found' })
  })

  it('pages 10 MB by cursor without losing or repeating a byte', async () => {
    const session = await openSession()
    const id = await finished(session, 'i=0; while [ $i -lt 10 ]; do i=$((i+1)); yes 1234567 | head -c 1000000; done')
    let cursor = 0
    let text = ''
    for (;;) {
      const page = await session.json('ProcessOutput', { process_id: id, cursor, limit_bytes: 262_144 })
      expect(page.start_cursor).toBe(cursor)
      text += String(page.output)
      if (page.next_cursor === cursor) break
      cursor = Number(page.next_cursor)
    }

    expect(cursor).toBe(10_000_000)
    expect(text).toBe(`${'1234567\n'.repeat(125_000)}`.repeat(10))
  })

  it('tells of a gap, with where what is left begins', async () => {
    const session = await openSession()
    const id = await finished(session, 'yes 1234567 | head -c 1000000', { max_output_bytes: 50_000 })

    const json = await session.json('ProcessOutput', { process_id: id, cursor: 10 })

    expect(json).toMatchObject({ gap: true, start_cursor: 950_000, total_bytes: 1_000_000, next_cursor: 982_768 })
    expect(String(json.output).startsWith('1234567\n')).toBe(true)
  })

  it('keeps no more of the output on disk than a segment more than is allowed', async () => {
    const session = await openSession()
    const directory = session.resources.directoryOf('looprig-processes')
    const id = await finished(session, 'yes | head -c 20000000', { max_output_bytes: 2_000_000 })
    const logs = readdirSync(directory).filter((name) => name.startsWith(id) && name.endsWith('.log'))
    const sizes = logs.map((name) => statSync(join(directory, name)))

    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_000_000 + 600_000)
    expect(sizes.every(({ mode }) => (mode & 0o777) === 0o600)).toBe(true)
  })

  it('refuses a cursor past all output', async () => {
    const session = await openSession()
    const id = await finished(session, 'echo out')

    const result = await session.call('ProcessOutput', { process_id: id, cursor: 5 })

    expect(result).toMatchObject({ isError: true, code: 'cursor_ahead' })
    expect(await session.json('ProcessOutput', { process_id: id, cursor: 4 })).toMatchObject({
      output: '',
      next_cursor: 4,
    })
  })

  it('never cuts a character or an escape sequence between two answers', async () => {
    const session = await openSession()
    const id = await finished(session, "printf 'a€\\033[1;31mb\\033[0m😀c'")
    for (let limit = 6; limit <= 20; limit += 1) {
      let cursor = 0
      let text = ''
      for (;;) {
        const page = await session.json('ProcessOutput', { process_id: id, cursor, limit_bytes: limit })
        text += String(page.output)
        if (page.next_cursor === cursor) break
        cursor = Number(page.next_cursor)
      }
      if (limit >= 8) expect([limit, text]).toEqual([limit, 'a€b😀c'])
    }
  })

  it('comes to an end with any limit', async () => {
    const session = await openSession()
    const id = await finished(session, "printf '€\\377\\033[1;31mx'")
    for (const limit of [1, 2, 3]) {
      let cursor = 0
      let pages = 0
      while (cursor < 12 && pages < 50) {
        cursor = Number(
          (await session.json('ProcessOutput', { process_id: id, cursor, limit_bytes: limit })).next_cursor,
        )
        pages += 1
      }
      expect(pages).toBeLessThan(20)
    }
  })

  it('says when it is not byte for byte what was written, and when it is no text', async () => {
    const session = await openSession()
    const coloured = await finished(session, "printf '\\033[1mx'")
    const binary = await finished(session, 'head -c 3000 /dev/zero')

    expect(await session.json('ProcessOutput', { process_id: coloured })).toMatchObject({
      output: 'x',
      normalized: true,
    })
    expect(await session.json('ProcessOutput', { process_id: binary })).toMatchObject({
      output: '',
      binary: true,
      artifact: { id: binary, encoding: 'base64' },
      next_cursor: 3_000,
    })
  })

  it('gives the exact bytes as base64', async () => {
    const session = await openSession()
    const id = await finished(session, "printf '\\000\\377\\033[1mx\\n'")

    const { output } = await session.json('ProcessOutput', { process_id: id, encoding: 'base64' })

    expect(Buffer.from(String(output), 'base64')).toEqual(Buffer.from('\u0000\u00ff\u001b[1mx\n', 'latin1'))
  })

  it('shows no more than its limit, also of bytes that are no text', async () => {
    const session = await openSession()
    const id = await finished(session, 'yes "$(printf \'ab\\377\')" | head -c 100000')

    const { output, next_cursor } = await session.json('ProcessOutput', { process_id: id, limit_bytes: 3_000 })

    expect(Buffer.byteLength(String(output))).toBeLessThanOrEqual(3_000)
    expect(Number(next_cursor)).toBeGreaterThanOrEqual(1_000)
  })
})

describe('a wait of ProcessOutput', () => {
  it('ends at the first byte of any', async () => {
    const session = await openSession()
    const [silent, loud] = [await session.start('sleep 30'), await session.start('sleep 0.2; echo x; sleep 30')]

    const { results } = await session.json('ProcessOutput', {
      process_ids: [silent, loud],
      wait: 'any',
      timeout_ms: 9_000,
    })

    expect(results).toMatchObject([{ output: '' }, { output: 'x\n', status: 'running' }])
  })

  it('ends when each has news, and a process that there is not has none to wait for', async () => {
    const session = await openSession()
    const [first, second] = [await session.start('sleep 0.1; echo a; sleep 30'), await session.start('sleep 0.3')]

    const { results } = await session.json('ProcessOutput', {
      process_ids: [first, second, random],
      wait: 'all',
      timeout_ms: 9_000,
    })

    expect(results).toMatchObject([{ output: 'a\n' }, { status: 'exited' }, { error: 'not_found' }])
  })

  it('shows how it is when its time is over', async () => {
    const session = await openSession()
    const id = await session.start('sleep 30')

    const result = await session.json('ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 50 })

    expect(result).toMatchObject({ status: 'running', output: '' })
  })

  it('shows how it is when the call is aborted, and leaves nothing behind', async () => {
    const session = await openSession({ bash: { processes: { maxWaiting: 1 } } })
    const id = await session.start('sleep 30')
    for (let index = 0; index < 5; index += 1) {
      const options = { signal: AbortSignal.timeout(30) }
      const start = performance.now()
      const json = await session.json('ProcessOutput', { process_id: id, wait: 'any' }, options)
      expect(json).toMatchObject({ status: 'running' })
      expect(performance.now() - start).toBeGreaterThan(20) // there was room to wait
    }
  })

  it('does not wait when too many do', async () => {
    const session = await openSession({ bash: { processes: { maxWaiting: 1 } } })
    const id = await session.start('sleep 30')
    const controller = new AbortController()
    const first = session.json('ProcessOutput', { process_id: id, wait: 'any' }, { signal: controller.signal })

    const second = await session.json('ProcessOutput', { process_id: id, wait: 'any' })
    controller.abort()

    expect(second).toMatchObject({ status: 'running' })
    await first
  })

  it('does not wait for output that is there, or for a process that has ended', async () => {
    const session = await openSession()
    const id = await finished(session, 'echo x')

    expect(await session.json('ProcessOutput', { process_id: id, wait: 'any' })).toMatchObject({ output: 'x\n' })
    expect(await session.json('ProcessOutput', { process_id: id, wait: 'any', cursor: 2 })).toMatchObject({
      output: '',
    })
  })
})

describe('the processes of others', () => {
  it('are as if they were not, for every tool', async () => {
    const session = await openSession()
    const sibling = await openSession({ resources: session.resources, sessionId: session.sessionId })
    const id = await session.start('sleep 30')
    const calls = [
      ['ProcessOutput', {}],
      ['ProcessOutput', { cursor: 99 }],
      ['ProcessInput', { data: 'x' }],
      ['ProcessInput', { rows: 1, cols: 1 }],
      ['ProcessStop', { mode: 'kill' }],
    ] as const
    for (const [tool, args] of calls) {
      const foreign = await sibling.call(tool, { process_id: id, ...args })
      const none = await sibling.call(tool, { process_id: random, ...args })

      expect(JSON.stringify(foreign).replaceAll(id, random)).toBe(JSON.stringify(none))
      expect(none).toMatchObject({ isError: true, code: 'not_found' })
    }
    expect((await session.json('ProcessOutput', { process_id: id })).status).toBe('running')
  })

  it('are those of another session that is kept at the same place, too', async () => {
    const session = await openSession()
    const other = await openSession({
      resources: session.resources,
      loopId: session.loopId,
      sessionId: parseId('SessionId', uuidV7()),
    })
    const id = await session.start('sleep 30')

    expect(await other.json('ProcessOutput', { process_id: id })).toEqual({ process_id: id, error: 'not_found' })
  })
})

describe('the arguments of ProcessOutput', () => {
  it.each([
    [{}, 'process_id'],
    [{ process_id: random, process_ids: [random] }, 'process_id'],
    [{ process_ids: [] }, 'process_ids'],
    [{ process_ids: [random, random] }, 'process_ids'],
    [{ process_id: '../../../../etc/passwd' }, 'process_id'],
    [{ process_id: `${random}/../x` }, 'process_id'],
    [{ process_id: `${random.slice(1)}\0` }, 'process_id'],
    [{ process_id: random, cursor: -1 }, 'cursor'],
    [{ process_id: random, cursor: 1.5 }, 'cursor'],
    [{ process_id: random, limit_bytes: 0 }, 'limit_bytes'],
    [{ process_id: random, limit_bytes: 10_000_000 }, 'limit_bytes'],
    [{ process_id: random, encoding: 'hex' }, 'encoding'],
    [{ process_id: random, wait: 'forever' }, 'wait'],
    [{ process_id: random, timeout_ms: 1e12 }, 'timeout_ms'],
    [{ process_id: random, pid: 1 }, 'pid'],
  ])('%j are refused by name', async (args, name) => {
    const session = await openSession()

    await expect(session.call('ProcessOutput', args)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(name),
    })
  })

  it('need no access', async () => {
    const session = await openSession()
    const context = {
      executionId: parseId('ToolExecutionId', uuidV7()),
      toolUseId: 'c',
      signal: new AbortController().signal,
    }
    for (const [name, args] of [
      ['ProcessOutput', {}],
      ['ProcessInput', { eof: true }],
      ['ProcessStop', { mode: 'kill' }],
    ] as const) {
      const prepared = await session.tools[name]?.prepareCall(context, JSON.stringify({ process_id: random, ...args }))

      expect(prepared?.request.requirements).toEqual([])
    }
  })

  it('take an id only as Bash gave it', async () => {
    const session = await openSession()

    expect(idOf(await session.json('Bash', { command: 'true', background: true }))).toMatch(/^[\w-]{22}$/)
  })
})
