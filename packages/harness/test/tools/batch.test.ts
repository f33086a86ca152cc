import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import {
  calling,
  delivered,
  effectTool,
  openSession,
  requirement,
  resultsOf,
  resultTexts,
} from '../session/open-session.ts'

/** A tool whose calls begin and end when the test says; it tells what began and ended. */
function steered(name = 'work', options: Parameters<typeof effectTool>[2] = {}) {
  const log: string[] = []
  const ends = new Map<string, () => void>()
  let most = 0
  const run = async (value: string) => {
    log.push(`+${value}`)
    const gone = createDeferred<void>()
    ends.set(value, gone.resolve)
    most = Math.max(most, ends.size)
    await gone.promise
    ends.delete(value)
    log.push(`-${value}`)
  }
  const end = async (...values: readonly string[]) => {
    for (const value of values) {
      ends.get(value)?.()
      await delivered()
    }
  }
  return { tool: effectTool(name, run, options), log, end, running: () => [...ends.keys()], most: () => most }
}

const work = (...values: readonly string[]) =>
  values.map((value) => ({ id: `id-${value}`, name: 'work', input: { value } }))

describe('runCalls', () => {
  it('gives results in call order when calls end in another', async () => {
    const { tool, log, end } = steered()
    const { session, recording } = await openSession({
      responses: [calling(...work('1', '2', '3')), { text: 'ok' }],
      tools: [tool],
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted', 3)

    await end('3', '1', '2')
    await submission.result()

    expect(log.slice(3)).toEqual(['-3', '-1', '-2'])
    expect(recording.events('ToolCallCompleted').map((event) => event.toolUseId)).toEqual(['id-3', 'id-1', 'id-2'])
    expect(resultTexts(session.history())).toEqual(['work did 1', 'work did 2', 'work did 3'])
    expect(resultsOf(session.history()).map((result) => result.toolUseId)).toEqual(['id-1', 'id-2', 'id-3'])
  })

  it('announces all calls that start together before one of them ends', async () => {
    const { tool, end } = steered()
    const { session, types, recording } = await openSession({
      responses: [calling(...work('1', '2')), { text: 'ok' }],
      tools: [tool],
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted', 2)

    await end('2', '1')
    await submission.result()

    const told = (await types()).filter((type) => type.startsWith('ToolCall'))
    expect(told).toEqual(['ToolCallStarted', 'ToolCallStarted', 'ToolCallCompleted', 'ToolCallCompleted'])
  })

  it('runs at most `parallel` calls at a time, and starts the next when one ends', async () => {
    const { tool, end, running, most } = steered()
    const responses = [calling(...work('1', '2', '3', '4', '5')), { text: 'ok' }]
    const { session, recording } = await openSession({ responses, tools: [tool], limits: { parallel: 2 } })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted', 2)
    await delivered()

    const first = running()
    await end('2')
    const second = running()
    await end('1', '3', '4', '5')
    await submission.result()

    expect([first, second]).toEqual([
      ['1', '2'],
      ['1', '3'],
    ])
    expect(most()).toBe(2)
  })

  it('runs 8 calls at a time by default', async () => {
    const { tool, end, running } = steered()
    const values = Array.from({ length: 10 }, (_, n) => String(n))
    const { session, recording } = await openSession({
      responses: [calling(...work(...values)), { text: 'ok' }],
      tools: [tool],
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted', 8)
    await delivered()

    const together = running()
    await end(...values)
    await submission.result()

    expect(together).toEqual(values.slice(0, 8))
  })

  it('runs sequential calls first, one at a time and alone', async () => {
    const parallel = steered()
    const alone = steered('alone', { sequential: true })
    const calls = [
      ...work('p1'),
      { name: 'alone', input: { value: 's1' } },
      ...work('p2'),
      { name: 'alone', input: { value: 's2' } },
    ]
    const { session, recording } = await openSession({
      responses: [calling(...calls), { text: 'ok' }],
      tools: [parallel.tool, alone.tool],
    })
    const submission = session.submit('Go')

    const seen = []
    for (const [count, ends] of [
      [1, ['s1']],
      [2, ['s2']],
      [4, ['p1', 'p2']],
    ] as const) {
      await recording.waitFor('ToolCallStarted', count)
      seen.push([...alone.running(), ...parallel.running()])
      await alone.end(...ends)
      await parallel.end(...ends)
    }
    await submission.result()

    expect(seen).toEqual([['s1'], ['s2'], ['p1', 'p2']])
    expect(resultTexts(session.history())).toEqual(['work did p1', 'alone did s1', 'work did p2', 'alone did s2'])
  })

  it('never runs two calls of one write target together, and keeps their order', async () => {
    const { tool, log, end } = steered('work', { target: 'one-file' })
    const { session, recording } = await openSession({
      responses: [calling(...work('1', '2', '3')), { text: 'ok' }],
      tools: [tool],
    })
    const submission = session.submit('Go')

    for (const value of ['1', '2', '3']) {
      await recording.waitFor('ToolCallStarted', Number(value))
      await end(value)
    }
    await submission.result()

    expect(log).toEqual(['+1', '-1', '+2', '-2', '+3', '-3'])
  })

  it('loses no edit of one file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'looprig-batch-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'numbers')
    writeFileSync(path, Array.from({ length: 100 }, (_, n) => n + 1).join('\n'))
    const edit = defineTool({
      name: 'edit',
      description: 'Replaces a line.',
      inputSchema: z.strictObject({ line: z.string(), by: z.string() }),
      prepare: ({ line, by }) => ({ summary: 'edit', artifact: { line, by, path }, requirements: [requirement(line)] }),
      run: async ({ line, by, path: file }) => {
        const text = await readFile(file, 'utf8')
        await writeFile(file, text.replace(`\n${line}\n`, `\n${by}\n`))
        return textResult('edited')
      },
      writeTarget: (artifact) => artifact.path,
    })
    const calls = ['50', '75'].map((line) => ({ name: 'edit', input: { line, by: `was ${line}` } }))
    const { session } = await openSession({ responses: [calling(...calls), { text: 'ok' }], tools: [edit] })

    await session.submit('Go').result()

    expect(readFileSync(path, 'utf8')).toMatch(/\nwas 50\n(.*\n)+was 75\n/)
  })

  it('starts and completes each call once, whatever its fate', async () => {
    const fail = effectTool('fail', () => Promise.reject(new Error('no')))
    const calls = [{ name: 'none' }, { name: 'fail', rawInput: '!' }, { name: 'fail' }]
    const { session, recording } = await openSession({ responses: [calling(...calls), { text: 'ok' }], tools: [fail] })

    await session.submit('Go').result()
    await recording.waitFor('SessionIdle')

    const started = recording.events('ToolCallStarted').map((event) => event.toolExecutionId)
    const completed = recording.events('ToolCallCompleted')
    expect(new Set(started).size).toBe(3)
    expect(new Set(completed.map((event) => event.toolExecutionId))).toEqual(new Set(started))
    expect(completed.map((event) => event.code)).toEqual(['unknown_tool', 'invalid_arguments', 'tool_failed'])
  })

  it('has the start of an effectful call durable before it runs', async () => {
    const kinds: string[][] = []
    const opened = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [
        effectTool('work', async () => {
          const records = await opened.store.ledger.read({ session: opened.session.id, after: 0, limit: 100 })
          kinds.push(records.map((record) => record.kind))
        }),
      ],
    })

    await opened.session.submit('Go').result()

    expect(kinds[0]?.slice(-3)).toEqual(['step', 'run', 'event'])
  })

  it('writes neither step nor run for calls that change nothing', async () => {
    const look = effectTool('look', () => undefined, { replaySafe: true })
    const { session, store } = await openSession({
      responses: [calling({ name: 'look' }), { text: 'ok' }],
      tools: [look],
    })

    await session.submit('Go').result()

    const records = await store.ledger.read({ session: session.id, after: 0, limit: 100 })
    expect(new Set(records.map((record) => record.kind))).toEqual(new Set(['event', 'input']))
  })
})
