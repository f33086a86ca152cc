import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrangePlace, builtProgram } from './program-process.ts'

const readA = { name: 'ReadFile', input: { path: 'a.ts' } }

describe('one question', () => {
  it('prints the answer on stdout, what runs and how to resume on stderr', async () => {
    const { start, scripted } = arrangePlace()

    const ended = await start([
      ...scripted({ text: 'Looking. 😀', toolCalls: [readA] }, { text: 'It is 42.' }),
      'What?',
    ]).ended

    expect(ended).toMatchObject({ code: 0, stdout: 'Looking. 😀\nIt is 42.\n' })
    expect(ended.stderr).toMatch(
      /^ {2}ReadFile a\.ts … \d+ ms\nsession ([0-9a-f-]{36}); go on with: npm start -- --resume \1\n$/,
    )
  })

  it('prints one JSON object per event and nothing else with stream-json', async () => {
    const { start, scripted } = arrangePlace()
    const args = scripted({ toolCalls: [readA] }, { thinking: 'hm', text: 'It is 42.' })

    const { code, stdout, stderr } = await start([...args, '--output-format', 'stream-json', 'What?']).ended

    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const enduring = lines.filter(({ seq }) => seq !== null)
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(lines.every((line) => Object.keys(line).join() === 'seq,event')).toBe(true)
    expect(enduring.map(({ event }) => event.type)).toEqual([
      'TurnStarted',
      'PermissionDecided',
      'StepDone',
      'StepDone',
      'TurnDone',
    ])
    expect(enduring.every(({ seq }, index) => index === 0 || seq > enduring[index - 1].seq)).toBe(true)
    const deltas = lines.filter(({ event }) => event.type === 'TokenDelta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.map(({ event }) => event.text).join('')).toBe('It is 42.')
    expect(deltas[0].event).toMatchObject({
      sessionId: expect.any(String),
      loopId: expect.any(String),
      stepId: expect.any(String),
    })
  })

  it('prints one object at the end with json', async () => {
    const { start, scripted } = arrangePlace()

    const { code, stdout } = await start([...scripted({ text: 'Yes.' }), '--output-format', 'json', 'What?']).ended

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      sessionId: expect.any(String),
      turnId: expect.any(String),
      status: 'done',
      text: 'Yes.',
      usage: { inputTokens: 1, outputTokens: 1 },
    })
  })

  it('keeps streamed text of a failed turn and tells the error', async () => {
    const { start, scripted } = arrangePlace()
    const args = scripted({ text: 'It is', error: { code: 'network', afterText: true } })

    const { code, stdout, stderr } = await start([...args, 'What?']).ended

    expect(code).toBe(1)
    expect(stdout).toMatch(/^It is\n/)
    expect(stderr).toMatch(/^error: network: /m)
  })

  it('retries before text and fails with script_exhausted past the end', async () => {
    const { start, scripted } = arrangePlace()
    const args = scripted({ error: { code: 'rate_limited' } }, { toolCalls: [readA] })

    const { code, stderr } = await start([...args, 'What?']).ended

    expect(code).toBe(1)
    expect(stderr).toMatch(/retrying in [\d.]+ m?s \(rate_limited\)/)
    expect(stderr).toMatch(/^error: script_exhausted: /m)
  })

  it('prints no progress with --print', async () => {
    const { start, scripted } = arrangePlace()

    const { code, stdout, stderr } = await start([...scripted({ toolCalls: [readA] }, { text: 'ok' }), '-p', 'What?'])
      .ended

    expect([code, stdout]).toEqual([0, 'ok\n'])
    expect(stderr).toMatch(/^session .*\n$/)
  })

  it('keeps secrets and the world outside from the model', async () => {
    const { start, scripted, workspace } = arrangePlace()
    const calls = ['.env', '/etc/passwd', `${workspace}-victim/a`, '../script.json'].map((path) => ({
      name: 'ReadFile',
      input: { path },
    }))
    const args = scripted({ toolCalls: calls }, { text: 'ok' })

    const { stdout } = await start([...args, '--output-format', 'stream-json', 'What?']).ended

    const step = stdout
      .split('\n')
      .map((line) => line && JSON.parse(line))
      .find((line) => line?.event.type === 'StepDone')
    expect(step.event.messages.slice(1).map((message: { isError: boolean }) => message.isError)).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  it('answers without a key and says that it is no language model', async () => {
    const { start } = arrangePlace()

    const { code, stdout, stderr } = await start(['--workspace', 'ws', 'Which files are there?']).ended

    expect(code).toBe(0)
    expect(stdout).not.toBe('')
    expect(stderr.split('\n')[0]).toMatch(/not a language model/)
  })

  it.skipIf(process.platform === 'win32')('ends quietly when the reader leaves', async () => {
    const { start, scripted } = arrangePlace()
    const run = start([
      ...scripted({ text: 'first', toolCalls: [readA] }, { text: 'x'.repeat(100_000), delayMs: 20 }),
      'What?',
    ])

    await run.seen('stdout', /first/)
    run.child.stdout.destroy()

    const { code, stderr } = await run.ended
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/error/i)
  })

  it.skipIf(!existsSync('/dev/full'))('fails when the answer cannot be written', async () => {
    const { startShell, scripted } = arrangePlace()
    const words = [process.execPath, builtProgram, ...scripted({ text: 'Yes.' }), 'What?'].map((word) => `'${word}'`)

    const { code, stderr } = await startShell(`exec ${words.join(' ')} > /dev/full`).ended

    expect(code).toBe(1)
    expect(stderr).toContain('error: output_failed: ')
  })

  it('prints help and version without touching anything', async () => {
    const { start, dataFolder } = arrangePlace()

    const [help, version] = await Promise.all([start(['--help']).ended, start(['--version']).ended])

    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(/--workspace DIR/)
    expect(version).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
    expect(existsSync(dataFolder)).toBe(false)
  })
})
