import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new canonical folder, removed when the test ends. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'looprig-assistant-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
