import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { onTestFinished } from 'vitest'

const isSuperuser = process.getuid?.() === 0

/** Takes the right to write in a folder away until the test ends; false when that cannot be done here. */
export function makeReadOnly(folder: string): boolean {
  if (!isSuperuser) {
    chmodSync(folder, 0o555)
    onTestFinished(() => chmodSync(folder, 0o755))
    return true
  }
  if (spawnSync('chattr', ['+i', folder]).status !== 0) return false
  onTestFinished(() => void execFileSync('chattr', ['-i', folder]))
  return true
}

/** Mounts a tiny file system at a new folder until the test ends; false when that cannot be done here. */
export function mountTiny(folder: string, kilobytes: number): boolean {
  mkdirSync(folder)
  return mount(['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], folder)
}

/** Makes a file a mount of its own, so that it cannot be renamed over; false when that cannot be done here. */
export function mountOnItself(file: string): boolean {
  return mount(['--bind', file, file], file)
}

function mount(args: readonly string[], target: string): boolean {
  if (!isSuperuser || spawnSync('mount', args).status !== 0) return false
  onTestFinished(() => {
    execFileSync('umount', [target])
    rmSync(target, { recursive: true, force: true })
  })
  return true
}

/** Whether this process can be kept from writing large files. */
export const canLimitFiles = spawnSync('prlimit', ['--version']).status === 0

/** Lets this process write no file larger than so many bytes while `run` runs. */
export async function withFileLimit<T>(bytes: number, run: () => Promise<T>): Promise<T> {
  const limit = (value: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${value}:`])
  limit(String(bytes))
  try {
    return await run()
  } finally {
    limit('unlimited')
  }
}
