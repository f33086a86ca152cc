/** Folders of tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is removed when its scope ends. */
export interface TempFolder extends Disposable {
  readonly path: string
  file(name: string): string
}

export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'looprig-store-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true })
    },
  }
}
