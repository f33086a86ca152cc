import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProgramRun } from './program-run.ts'
import { tempFolder } from './temp-folder.ts'

function arrange(responses: readonly object[]) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'ws'))
  writeFileSync(join(cwd, 'script.json'), JSON.stringify(responses))
  const argv = ['--workspace', 'ws', '--data-dir', 'data', '--script', 'script.json']
  return (more: readonly string[] = [], isTTY = false) => new ProgramRun([...argv, ...more], { cwd, isTTY })
}

const answers = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `answer ${index + 1}` }))

describe('a conversation', () => {
  it('answers line after line and ends with the input', async () => {
    const run = arrange(answers(2))()

    run.stdin.end('first\r\n\n  \nsecond')

    expect(await run.code).toBe(0)
    expect(run.stdout.text).toBe('answer 1\nanswer 2\n')
    expect(run.stderr.text).toMatch(/session [0-9a-f-]{36}; go on with: npm start -- --data-dir data --resume/)
  })

  it('loses no line when more come than the queue takes', async () => {
    const run = arrange(answers(150))()

    run.stdin.end(Array.from({ length: 150 }, (_, index) => `question ${index + 1}\n`).join(''))

    expect(await run.code).toBe(0)
    expect(run.stdout.text.trimEnd().split('\n')).toEqual(answers(150).map(({ text }) => text))
  })

  it('prints one object per line with json', async () => {
    const run = arrange([{ text: 'yes' }, { error: { code: 'auth' } }])(['--output-format', 'json'])
    run.stdin.write('first\n')
    await run.stdout.seen(/\n/)
    run.stdin.end('second\n')

    expect(await run.code).toBe(0)
    const printed = run.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(printed).toMatchObject([
      { status: 'done', text: 'yes' },
      { status: 'failed', text: '', error: { code: 'auth' } },
    ])
  })

  it('offers what was not asked after a failed turn, and takes further questions', async () => {
    const run = arrange([{ error: { code: 'auth' }, delayMs: 50 }, { text: 'again' }])()
    run.stdin.write('first\nsecond\n')

    await run.stderr.seen(/not asked, because the turn before it failed: second/)
    run.stdin.end('third\n')

    expect(await run.code).toBe(0)
    expect(run.stdout.text).toBe('again\n')
  })

  it('knows /help and leaves with /exit while an answer is on its way', async () => {
    const run = arrange([{ text: 'late', delayMs: 60_000 }])()
    run.stdin.write('/help\nslow question\n')
    await run.stderr.seen(/\/exit leaves/)

    run.stdin.write('/exit\n')

    expect(await run.code).toBe(0)
    expect(run.stdout.text).toBe('')
  })

  it('interrupts an answer, goes on with the next question and leaves when idle', async () => {
    const run = arrange([{ text: 'never', delayMs: 60_000 }, { text: 'second' }])([], true)
    run.stdin.write('one\ntwo\n')
    await run.stderr.seen(/queued/)

    run.stdin.write('\u0003')
    await run.stdout.seen(/second\n/)
    run.stdin.write('\u0003')

    expect(await run.code).toBe(130)
    expect(run.stderr.text).toContain('interrupted')
    expect(run.exits).toBe(0)
  })

  it('keeps what is queued when it is told to leave', async () => {
    const start = arrange([{ text: 'slow', delayMs: 60_000 }])
    const run = start()
    run.stdin.write('one\ntwo\n')
    await run.stderr.seen(/queued/)

    run.stop.terminate()

    expect(await run.code).toBe(130)
    expect(run.stdout.text).toBe('')
  })

  it('writes nothing but the session when nothing is asked', async () => {
    const start = arrange([])
    const run = start()
    run.stdin.end()

    expect(await run.code).toBe(0)
    expect(run.stderr.text).toBe('')
  })
})
