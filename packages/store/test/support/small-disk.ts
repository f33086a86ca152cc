/** A file system of a few hundred KiB, where the system lets us mount one. */
import { execFileSync } from 'node:child_process'

import { type TempFolder, tempFolder } from './temp-folder.ts'

/** Mounts an empty file system; its end unmounts it. `undefined` where that is not allowed. */
export function smallDisk(kibibytes: number): TempFolder | undefined {
  const folder = tempFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder.path], { stdio: 'ignore' })
  } catch {
    folder[Symbol.dispose]()
    return undefined
  }
  return {
    ...folder,
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder.path])
      folder[Symbol.dispose]()
    },
  }
}
