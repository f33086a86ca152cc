import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, textResult, writeRequirement } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AssistantExtension } from '../src/assistant.ts'
import { ProgramRun } from './program-run.ts'
import { tempFolder } from './temp-folder.ts'

/** A tool that writes, and an access source that asks a person about it. */
const noteTaking: AssistantExtension = {
  tools: [
    defineTool({
      name: 'Note',
      description: 'Append a line to NOTES.md.',
      requires: ['workspace'],
      inputSchema: z.strictObject({ line: z.string() }),
      prepare: ({ line }, { workspace }) => {
        const path = join(workspace.root, 'NOTES.md')
        return {
          summary: 'append a note',
          artifact: { path, line },
          requirements: [writeRequirement(path, 'NOTES.md')],
        }
      },
      run: async ({ path, line }) => {
        await appendFile(path, `${line}\n`)
        return textResult('written')
      },
    }),
  ],
  access: [{ kinds: ['filesystem.write'], accessFor: () => 'ask' }],
}

function arrange(responses: readonly object[]) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'ws'))
  writeFileSync(join(cwd, 'script.json'), JSON.stringify(responses))
  const argv = ['--workspace', 'ws', '--data-dir', 'data', '--script', 'script.json']
  const notes = join(cwd, 'ws', 'NOTES.md')
  const start = (more: readonly string[], isTTY: boolean) =>
    new ProgramRun([...argv, ...more], { cwd, isTTY, extension: noteTaking })
  const sessions = async () => {
    const run = new ProgramRun(['sessions', '--data-dir', 'data', '--output-format', 'json'], { cwd })
    await run.code
    return JSON.parse(run.stdout.text)
  }
  return { start, notes, sessions }
}

const noteCall = { toolCalls: [{ name: 'Note', input: { line: 'hello' } }] }

describe('approval at the terminal', () => {
  it('asks on stderr and runs the call after y', async () => {
    const { start, notes } = arrange([noteCall, { text: 'Done.' }])
    const run = start(['Take a note'], true)

    await run.stderr.seen(/Note asks: append a note\n {2}write NOTES\.md\napprove\? y or n/)
    expect(existsSync(notes)).toBe(false)
    run.stdin.write('y\n')

    expect(await run.code).toBe(0)
    expect(readFileSync(notes, 'utf8')).toBe('hello\n')
    expect(run.stdout.text).toBe('Done.\n')
  })

  it('does not run the call after n, and the model reads that', async () => {
    const { start, notes } = arrange([noteCall, { text: 'As you wish.' }])
    const run = start(['Take a note', '--output-format', 'stream-json'], true)

    await run.stderr.seen(/approve\?/)
    run.stdin.write('maybe\nno\n')

    expect(await run.code).toBe(0)
    expect(existsSync(notes)).toBe(false)
    expect(run.stderr.text.match(/approve\?/g)).toHaveLength(2)
    expect(run.stdout.text).toContain('permission denied')
  })

  it('denies when the person ends the input', async () => {
    const { start, notes } = arrange([noteCall, { text: 'Not done.' }])
    const run = start(['Take a note'], true)

    await run.stderr.seen(/approve\?/)
    run.stdin.end()

    expect(await run.code).toBe(0)
    expect(existsSync(notes)).toBe(false)
  })

  it.each([[['--print'], true] as const, [[], false] as const])(
    'asks nobody with %j and a terminal: %j',
    async (more, isTTY) => {
      const { start, notes } = arrange([noteCall, { text: 'Not done.' }])
      const run = start([...more, 'Take a note'], isTTY)
      run.stdin.write('y\n')

      expect(await run.code).toBe(0)
      expect(existsSync(notes)).toBe(false)
      expect(run.stderr.text).not.toContain('approve?')
    },
  )

  it('keeps what is typed meanwhile as the next question', async () => {
    const { start, notes } = arrange([noteCall, { text: 'Done.' }, { text: 'Second.' }])
    const run = start([], true)
    run.stdin.write('Take a note\n')

    await run.stderr.seen(/approve\?/)
    run.stdin.write('And then?\n')
    await run.stderr.seen(/approve\?[\s\S]*approve\?/)
    run.stdin.write('yes\n')
    await run.stdout.seen(/Second\./)
    run.stdin.write('/exit\n')

    expect(await run.code).toBe(0)
    expect(readFileSync(notes, 'utf8')).toBe('hello\n')
  })

  it('withdraws the question when the turn is interrupted', async () => {
    const { start, notes } = arrange([noteCall])
    const run = start(['Take a note'], true)

    await run.stderr.seen(/approve\?/)
    run.stop.interrupt()

    expect(await run.code).toBe(130)
    expect(existsSync(notes)).toBe(false)
  })

  it('parks the session at the question when the program is told to leave', async () => {
    const { start, notes, sessions } = arrange([noteCall])
    const run = start(['Take a note'], true)
    await run.stderr.seen(/approve\?/)

    run.stop.terminate()

    expect(await run.code).toBe(130)
    expect(existsSync(notes)).toBe(false)
    expect(await sessions()).toMatchObject([{ status: 'waiting', title: 'Take a note' }])
  })
})
