import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { finish, npxCalls, runStart, spawnStart, tempClone } from '../temp-clone.ts'

describe('npm start', () => {
  it('sets a fresh clone up and passes arguments and exit code through', async () => {
    const clone = tempClone()

    const run = await runStart(clone, ['--exit', '7', 'two words', ''])

    expect(run).toMatchObject({ code: 7, stdout: '["--exit","7","two words",""]\n' })
    expect(npxCalls(clone)).toEqual([expect.stringContaining('pnpm@10.34.9 install --frozen-lockfile')])
  })

  it('starts no child and says nothing of its own when nothing has changed', async () => {
    const clone = tempClone()
    await runStart(clone)

    const run = await runStart(clone, ['again'])

    expect(run).toEqual({ code: 0, signal: null, stdout: '["again"]\n', stderr: '' })
    expect(npxCalls(clone)).toHaveLength(1)
  })

  it('installs once when two are started at once', async () => {
    const clone = tempClone()

    const runs = await Promise.all([runStart(clone, ['a']), runStart(clone, ['b']), runStart(clone, ['c'])])

    expect(runs.map(({ stdout }) => stdout)).toEqual(['["a"]\n', '["b"]\n', '["c"]\n'])
    expect(npxCalls(clone)).toHaveLength(1)
    expect(readdirSync(join(clone, '.looprig')).sort()).toEqual(['build-stamp', 'install-stamp'])
  })

  it('installs again after a change of the lockfile', async () => {
    const clone = tempClone()
    await runStart(clone)
    appendFileSync(join(clone, 'pnpm-lock.yaml'), '# changed\n')

    await runStart(clone)

    expect(npxCalls(clone)).toHaveLength(2)
  })

  it('builds again after a change of a source', async () => {
    const clone = tempClone()
    await runStart(clone)
    writeFileSync(join(clone, 'examples/assistant/src/main.ts'), "console.log('changed')\n")

    const run = await runStart(clone)

    expect(run.stdout).toBe('changed\n')
    expect(npxCalls(clone)).toHaveLength(1)
  })

  it('shows why an install failed, leaves no stamp and tries again the next time', async () => {
    const clone = tempClone('echo "npm error code ENOTFOUND" >&2; [ $(wc -l < calls) -gt 1 ]')

    const failed = await runStart(clone)
    const repaired = await runStart(clone)

    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('npm error code ENOTFOUND')
    expect(failed.stderr).toContain('The package registry could not be reached')
    expect(repaired.code).toBe(0)
  })

  it('shows the error of a failed build and exits with 1', async () => {
    const clone = tempClone()
    writeFileSync(join(clone, 'examples/assistant/src/main.ts'), 'export const broken = (\n')

    const run = await runStart(clone)

    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('src/main.ts:2:0: ERROR')
    expect(run.stderr).toContain('examples/assistant could not be built')
  })

  it('sends what the install prints to stderr', async () => {
    const clone = tempClone('echo "Progress: done"')

    const run = await runStart(clone)

    expect(run.stdout).toBe('[]\n')
    expect(run.stderr).toContain('Progress: done')
  })

  it('ends the install, frees the lock and dies by the signal when interrupted', async () => {
    const clone = tempClone('echo $$ > pid; exec sleep 60')
    const child = spawnStart(clone)
    const ended = finish(child)
    await vi.waitUntil(
      () => existsSync(join(clone, 'pid')) && readFileSync(join(clone, 'pid'), 'utf8').endsWith('\n'),
      { timeout: 20_000 },
    )
    const installer = Number(readFileSync(join(clone, 'pid'), 'utf8'))

    child.kill('SIGINT')

    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' })
    expect(() => process.kill(installer, 0)).toThrow('ESRCH')
    expect(readdirSync(join(clone, '.looprig'))).toEqual([])
  })

  it('leaves signals to the program once it runs', async () => {
    const clone = tempClone()
    await runStart(clone)
    const child = spawnStart(clone, ['--wait'])
    const ended = finish(child)
    if (child.stdout) await once(child.stdout, 'data')

    child.kill('SIGINT')

    expect(await ended).toMatchObject({ code: 42, signal: null })
  })
})
