import { watch } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolResult } from '@looprig/tools'
import { grepDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { callTool, textOfResult } from '../../support/call-tool.ts'
import { readGuard } from '../../support/read-guard.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

/** Runs Grep with a program that stands where ripgrep should be. */
async function grepWithProgram(
  script: string,
  signal?: AbortSignal,
  deadline?: () => AbortSignal,
): Promise<ToolResult> {
  const folder = await tempWorkspace()
  const program = join(folder, 'rg')
  await writeFile(program, `#!/bin/sh\n${script}\n`)
  await chmod(program, 0o755)
  const root = await tempWorkspace({ 'a.txt': 'needle\n' })
  return callTool(grepDefinition({ readGuard }, { ripgrep: program, deadline }), root, { pattern: 'needle' }, signal)
}

/** Aborts when the program has said that it runs. */
async function abortWhenStarted(): Promise<{ script: string; controller: AbortController }> {
  const folder = await tempWorkspace()
  const controller = new AbortController()
  const watcher = watch(folder, () => {
    watcher.close()
    controller.abort()
  })
  return { controller, script: `: > ${join(folder, 'started')}; while :; do :; done` }
}

describe('grepDefinition: the ripgrep program', () => {
  it.each([
    ['is not there', 'no-such-program-anywhere'],
    ['is no program', '/etc/passwd'],
    ['is a folder', '/'],
  ])('goes on without it when it %s', async (_case, ripgrep) => {
    const root = await tempWorkspace({ 'a.txt': 'needle' })

    const result = await callTool(grepDefinition({ readGuard }, { ripgrep }), root, { pattern: 'needle' })

    expect(textOfResult(result)).toBe('a.txt:1:needle')
  })

  it('finds rg on the PATH, or goes on without it', async () => {
    const root = await tempWorkspace({ 'a.txt': 'needle' })

    expect(textOfResult(await callTool(grepDefinition({ readGuard }), root, { pattern: 'needle' }))).toBe(
      'a.txt:1:needle',
    )
  })

  it.each([
    ['does not know an option', 'echo "error: unrecognized flag --json" >&2; exit 2'],
    ['is killed', 'kill -9 $$'],
    ['fails half way', `echo '{"type":"begin","data":{}}'; echo garbage; exit 3`],
  ])('goes on without it when it %s', async (_case, script) => {
    expect(textOfResult(await grepWithProgram(script))).toBe('a.txt:1:needle')
  })

  it('reports a pattern that it refuses', async () => {
    const result = await grepWithProgram('echo "regex parse error: SENTINEL" >&2; exit 2')

    expect(result).toMatchObject({ isError: true, code: 'invalid_pattern' })
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
  })

  it('believes it that nothing matches', async () => {
    expect(textOfResult(await grepWithProgram('exit 1'))).toBe('no matches')
  })

  it('reads past what it does not understand, in bounded memory', async () => {
    const flood = 'i=0; while [ $i -lt 3000 ]; do echo \'{"type":"match","data":{"path":7}}\'; i=$((i+1)); done; exit 0'

    expect(textOfResult(await grepWithProgram(flood))).toBe('no matches')
  })

  it('shows no file outside of the workspace, whatever it says', async () => {
    const line =
      '{"path":{"text":"/etc/passwd"},"lines":{"text":"x"},"line_number":1,"absolute_offset":0,"submatches":[]}'
    const script = `echo '{"type":"begin","data":{}}'; echo '{"type":"match","data":${line}}'; echo '{"type":"end","data":{}}'`

    expect(textOfResult(await grepWithProgram(script))).toBe('no matches')
  })

  it('is killed when the call is interrupted', async () => {
    const { script, controller } = await abortWhenStarted()

    expect(await grepWithProgram(script, controller.signal)).toMatchObject({ isError: true, code: 'interrupted' })
  })

  it('is killed when the time is over', async () => {
    const { script, controller } = await abortWhenStarted()

    expect(await grepWithProgram(script, undefined, () => controller.signal)).toMatchObject({ code: 'timed_out' })
  })
})
