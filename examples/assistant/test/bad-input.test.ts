import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProgramRun } from './program-run.ts'
import { tempFolder } from './temp-folder.ts'

describe('bad input', () => {
  it.each([
    ['an unknown flag', ['--nope'], /Unknown option '--nope'/],
    ['two questions', ['one', 'two'], /expected one question/],
    ['a missing workspace', ['--workspace', 'none', 'Q'], /workspace .*none: there is no such file or folder/],
    ['a file as workspace', ['--workspace', 'a.ts', 'Q'], /workspace .*a\.ts: not a folder/],
    ['a missing workspace of sessions', ['sessions', '--workspace', 'none'], /there is no such file or folder/],
    ['a missing script', ['--script', 'none.json', 'Q'], /script .*none\.json: there is no such file/],
    ['a script that is none', ['--script', 'a.ts', 'Q'], /script .*a\.ts: not valid JSON/],
    ['a model without a key', ['--model', 'openai/x', 'Q'], /set OPENAI_API_KEY/],
    ['a data folder that is a file', ['--data-dir', 'a.ts', 'Q'], /data folder .*a\.ts: not a folder/],
    ['a data folder below a file', ['--data-dir', 'a.ts/x', 'Q'], /a part of the path is not a folder/],
    ['sessions of a file', ['sessions', '--data-dir', 'a.ts'], /data folder .*a\.ts: /],
    ['nothing to continue', ['--continue', 'Q'], /there is no session of this workspace yet/],
  ])('of %s ends with 2 and writes nothing', async (_name, argv, message) => {
    const cwd = tempFolder()
    writeFileSync(join(cwd, 'a.ts'), 'export const answer = 42\n')
    const run = new ProgramRun(argv, { cwd })

    expect(await run.code).toBe(2)
    expect(run.stdout.text).toBe('')
    expect(run.stderr.text).toMatch(message)
    expect(run.stderr.text).toContain('Nothing was written.')
    expect(readdirSync(cwd)).toEqual(['a.ts'])
  })

  it('never repeats a key', async () => {
    const env = { OPENAI_API_KEY: 'sk-SENTINEL', OPENAI_BASE_URL: 'http://u:SENTINEL@127.0.0.1:9/v1' }
    const run = new ProgramRun(['Q'], { cwd: tempFolder(), env })

    expect(await run.code).toBe(2)
    expect(run.stderr.text).toMatch(/^error: OPENAI_BASE_URL: /)
    expect(run.stderr.text).not.toContain('SENTINEL')
  })

  it('leaves a foreign file in the place of the store as it is', async () => {
    const cwd = tempFolder()
    mkdirSync(join(cwd, 'data'))
    writeFileSync(join(cwd, 'data', 'sessions.db'), 'not a database, though it is long enough to be one. '.repeat(40))
    const run = new ProgramRun(['--data-dir', 'data', 'Q'], { cwd })

    expect(await run.code).toBe(2)
    expect(run.stderr.text).toMatch(/data folder .*data: /)
    expect(readdirSync(join(cwd, 'data'))).toEqual(['sessions.db'])
  })
})
