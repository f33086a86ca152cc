import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { acquireLock } from '../../bootstrap/lock.mjs'
import { root } from '../../bootstrap/set-up.mjs'
import { tempTree } from '../temp-tree.ts'

const signal = new AbortController().signal
const unexpectedWait = (pid: number) => {
  throw new Error(`waits for ${pid}`)
}

function lockHeldBy(holder: string): string {
  const folder = join(tempTree(), 'lock')
  mkdirSync(folder)
  writeFileSync(join(folder, holder), '')
  return folder
}

function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

describe('acquireLock', () => {
  it('leaves nothing behind when it is released', async () => {
    const parent = tempTree()

    const lock = await acquireLock(join(parent, 'lock'), { signal, onWait: unexpectedWait })
    lock.release()

    expect(readdirSync(parent)).toEqual([])
  })

  it('takes over from a process that is gone', async () => {
    const folder = lockHeldBy(`${endedPid()}-unknown-left`)

    const lock = await acquireLock(folder, { signal, onWait: unexpectedWait })

    expect(readdirSync(folder)).toEqual([expect.stringMatching(`^${process.pid}-`)])
    lock.release()
  })

  it('takes over an empty folder and one with a foreign file', async () => {
    const folder = lockHeldBy('.DS_Store')

    const lock = await acquireLock(folder, { signal, onWait: unexpectedWait })

    expect(readdirSync(folder)).toHaveLength(1)
    lock.release()
  })

  it.runIf(process.platform === 'linux')('takes over when the pid now belongs to another process', async () => {
    const folder = lockHeldBy(`${process.pid}-1-left`)

    const lock = await acquireLock(folder, { signal, onWait: unexpectedWait })

    expect(readdirSync(folder)).not.toContain(`${process.pid}-1-left`)
    lock.release()
  })

  it('tells once whom it waits for and gives up in the end', async () => {
    const folder = lockHeldBy(`${process.ppid}-unknown-live`)
    const waits: number[] = []

    const waiting = acquireLock(folder, { signal, onWait: (pid) => waits.push(pid), timeoutMs: 40, pollMs: 5 })

    await expect(waiting).rejects.toThrow(`process ${process.ppid} has held the set-up lock`)
    expect(waits).toEqual([process.ppid])
  })

  it('stops waiting when it is aborted', async () => {
    const folder = lockHeldBy(`${process.ppid}-unknown-live`)
    const controller = new AbortController()

    const waiting = acquireLock(folder, { signal: controller.signal, onWait: () => controller.abort() })

    await expect(waiting).rejects.toMatchObject({ name: 'InterruptedError' })
  })

  it('is held for a child that outlives the process', async () => {
    const folder = join(tempTree(), 'lock')
    const lock = await acquireLock(folder, { signal, onWait: unexpectedWait })
    lock.addHolder(process.ppid)

    const holders = readdirSync(folder)

    expect(holders.map((name) => Number.parseInt(name, 10)).sort()).toEqual([process.pid, process.ppid].sort())
    lock.release()
  })

  it('lets one process in at a time', async () => {
    const parent = tempTree({ counter: '0' })
    const script = `
      import { readFileSync, writeFileSync } from 'node:fs'
      import { acquireLock } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/bootstrap/lock.mjs')).href)}
      for (let round = 0; round < 20; round += 1) {
        const lock = await acquireLock('lock', { signal: new AbortController().signal, onWait() {}, pollMs: 1 })
        const count = Number(readFileSync('counter', 'utf8'))
        await new Promise(setImmediate)
        writeFileSync('counter', String(count + 1))
        lock.release()
      }`
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: parent })

    await Promise.all([run(), run(), run()])

    expect(readFileSync(join(parent, 'counter'), 'utf8')).toBe('60')
  })
})
