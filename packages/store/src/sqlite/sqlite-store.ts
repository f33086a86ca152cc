/** A store in one file. */
import { realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { StoreError, storeClosed } from '../contract/errors.ts'
import type { Store } from '../contract/store.ts'
import { Watchers } from '../watch/watchers.ts'
import { retryBusySync } from './busy-retry.ts'
import { Database } from './database.ts'
import type { OpenConnection } from './driver.ts'
import { storeErrorOf } from './failure.ts'
import { openLibsql } from './libsql-driver.ts'
import type { OpenFile } from './open-file.ts'
import { createPrivateFile } from './private-file.ts'
import { SessionLocks } from './session-lock.ts'
import { SqliteLeases } from './sqlite-leases.ts'
import { SqliteLedger } from './sqlite-ledger.ts'
import { type StartTicker, startTimer } from './ticker.ts'
import { TipPoller } from './tip-poller.ts'
import { Writer } from './writer.ts'

/** One page of the smallest size. */
const smallestDatabase = 512

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The file, on a local file system; made when it is not there, in a folder that is. A `locks` folder lies beside. */
  readonly path: string
  /** Milliseconds since 1970, for `at`. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** How long a call waits for other writers before it throws `busy`. Default: 5,000. */
  readonly busyTimeoutMs?: number | undefined
}

/**
 * Opens a store in one SQLite file and makes it when it is not there. Any number of processes may have it open.
 * Appends run on this thread: each waits for one sync to disk, and those that wait together share it.
 *
 * @throws StoreError at once: `unreadable`, `read_only`, `full`, `busy`, `invalid`. A file that is not a store is left
 * as it is.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  return openSqliteStore(options, openLibsql)
}

/** The same on another driver, and with another sense of time for the looks at what other connections commit. */
export function openSqliteStore(
  options: SqliteStoreOptions,
  open: OpenConnection,
  startTicker: StartTicker = startTimer,
): Store {
  const { clock = Date.now, busyTimeoutMs = 5_000 } = options
  checkOptions(options.path, busyTimeoutMs)
  const path = resolve(options.path)
  const database = new Database(path, open)
  const folder = openDatabase(database, path, busyTimeoutMs)
  let closing: Promise<void> | undefined
  const file: OpenFile = {
    database,
    writer: new Writer(database, busyTimeoutMs),
    busyTimeoutMs,
    now: () => Math.trunc(clock()),
    ensureOpen() {
      if (closing !== undefined) throw storeClosed()
    },
  }
  const leases = new SqliteLeases(file, new SessionLocks(join(folder, 'locks'), open))
  const watchers = new Watchers()
  const tips = new TipPoller(database, watchers, startTicker, file.ensureOpen)
  const close = async () => {
    tips.idle()
    watchers.fail(storeClosed())
    await file.writer.drained()
    leases.releaseAll()
    database.close()
  }
  return {
    ledger: new SqliteLedger(file, watchers, tips),
    leases,
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** Gives the real folder of the file, so that all names of the file share their locks. */
function openDatabase(database: Database, path: string, busyTimeoutMs: number): string {
  try {
    createPrivateFile(path)
    checkSize(path)
    retryBusySync(() => database.use(), performance.now() + busyTimeoutMs)
    return dirname(realpathSync(path))
  } catch (error) {
    database.close()
    throw storeErrorOf(error)
  }
}

/** A few bytes of another kind look like an empty file to SQLite, which would write over them. */
function checkSize(path: string): void {
  const { size } = statSync(path)
  if (size > 0 && size < smallestDatabase) throw new StoreError('unreadable', 'the file is not a store')
}

function checkOptions(path: string, busyTimeoutMs: number): void {
  if (typeof path !== 'string' || path === '' || path.includes('\0') || path === ':memory:') {
    throw new StoreError('invalid', 'path must name a file; for a store in memory use memoryStore', { field: 'path' })
  }
  if (!Number.isFinite(busyTimeoutMs) || busyTimeoutMs < 0) {
    throw new StoreError('invalid', 'busyTimeoutMs must be 0 or more milliseconds', { field: 'busyTimeoutMs' })
  }
}
