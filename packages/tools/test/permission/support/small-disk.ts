/** A file system of a few KiB, where the system lets us mount one. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A mounted file system; its end unmounts it. */
export interface SmallDisk extends Disposable {
  readonly path: string
}

/** Mounts an empty file system with the mode 0700; nothing where that is not allowed. */
export function smallDisk(kibibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'looprig-disk-'))
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  try {
    const options = `size=${kibibytes}k,mode=0700`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    remove()
    return undefined
  }
  return {
    path,
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', path])
      remove()
    },
  }
}

/** Writes until nothing more fits. */
export function fillDisk(folder: string): void {
  try {
    for (;;) appendFileSync(join(folder, 'filler'), Buffer.alloc(4_096))
  } catch {
    // Full.
  }
}
