import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A path in a fresh folder of mode 0700 that goes away with the test. */
export function tempPath(name = 'permissions.json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'looprig-permission-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}
