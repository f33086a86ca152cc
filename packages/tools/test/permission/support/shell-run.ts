import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a real shell did with a line, where every program is a stub. */
export interface ShellRun {
  /** The arguments of every stub that ran, its name first. */
  readonly ran: readonly (readonly string[])[]
  /** Files that are there afterwards and were not before. */
  readonly made: readonly string[]
}

/** A shell on a path that holds stubs only, in a folder of its own. */
export interface StubShell extends Disposable {
  /** Nothing when the line did not end in time. */
  run(line: string): ShellRun | undefined
}

/** Programs that only say that they ran. No other program is on the path. */
export const stubs = ['rm', 'git', 'show', 'list', 'npm', 'curl', 'make', 'tar'] as const

/** Programs that say that they ran and then run what they are told, which is found on the same path. */
const wrappers = ['env', 'xargs', 'nice', 'nohup', 'timeout', 'sh', 'bash', 'find', 'cat'] as const

/** Node.js leads no group that it starts without being told, so that `setsid` becomes the shell without another process. */
const setsid = '/usr/bin/setsid'

/** Where a shell is on this computer, if it is and what it starts can be ended. */
export function findShell(name: 'bash' | 'dash'): string | undefined {
  if (!existsSync(setsid)) return undefined
  return [`/bin/${name}`, `/usr/bin/${name}`].find((path) => existsSync(path))
}

/** Makes a folder with stubs. Lines for it must name no absolute path: what is outside of the path stays out of reach. */
export function stubShell(shell: string): StubShell {
  const root = mkdtempSync(join(tmpdir(), 'looprig-shell-'))
  const bin = join(root, 'bin')
  const log = join(root, 'log')
  mkdirSync(bin)
  // One write for each program, since several write at once.
  const tell = `argv=$(printf '%s\\037' "\${0##*/}" "$@"; printf x); printf '%s\\036' "\${argv%x}" >>'${log}'\n`
  for (const name of stubs) addProgram(join(bin, name), `#!/bin/sh\n${tell}`)
  for (const name of wrappers) {
    const real = [`/bin/${name}`, `/usr/bin/${name}`].find((path) => existsSync(path))
    if (real !== undefined) addProgram(join(bin, name), `#!/bin/sh\n${tell}exec ${real} "$@"\n`)
  }
  return {
    run(line) {
      const work = join(root, 'work')
      rmSync(work, { recursive: true, force: true })
      mkdirSync(join(work, 'sub'), { recursive: true })
      writeFileSync(join(work, 'a.txt'), 'x\n')
      writeFileSync(log, '')
      // The pipes are open as long as anything that the line started lives, so that nothing of it is seen by the next one.
      // A session of its own, which can be ended as a whole: a line may start itself again and again.
      const { error, pid } = spawnSync(setsid, [shell, '-c', '--', line], {
        cwd: work,
        env: { PATH: bin, HOME: work, FUNCNEST: '16' },
        input: '',
        timeout: 1_000,
        killSignal: 'SIGKILL',
        stdio: 'pipe',
      })
      endSession(pid)
      if (error !== undefined) return undefined
      const ran = readFileSync(log, 'utf8').split('\x1e').slice(0, -1)
      const made = readdirSync(work).filter((name) => name !== 'a.txt' && name !== 'sub')
      return { ran: ran.map((argv) => argv.split('\x1f').slice(0, -1)), made }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

function endSession(leader: number): void {
  try {
    if (leader > 1) process.kill(-leader, 'SIGKILL')
  } catch {
    // nothing of it is left
  }
}

function addProgram(path: string, script: string): void {
  writeFileSync(path, script)
  chmodSync(path, 0o755)
}
