/** Looprig with its journal in a SQLite file, synced to disk with every append. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@looprig/store/sqlite'
import { prepareOn } from './looprig.mjs'

export function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'looprig-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ path: join(folder, 'sessions.db') })
}

export const prepare = prepareOn(openStore)
