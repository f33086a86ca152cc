/** Folders that a test fills and that go away with it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Makes a temporary folder with the given files, removed when the test ends.
 *
 * @param files - content by path, relative to the folder.
 */
export function tempTree(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'looprig-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}
