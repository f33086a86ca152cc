/** The tables of a store's file, and how the file is known to be one. */
import { StoreError } from '../contract/errors.ts'
import type { SqliteConnection } from './driver.ts'
import { integerOf } from './row.ts'

/** "LRIG" in ASCII, in the header of every store. */
const applicationId = 0x4c524947

/** What takes a file from one version to the next; a new file goes through all of them. Never changed, only added to. */
const steps: readonly string[] = [
  `
  CREATE TABLE sessions (
    session TEXT NOT NULL PRIMARY KEY,
    epoch INTEGER NOT NULL,
    tip INTEGER NOT NULL,
    created INTEGER NOT NULL,
    at INTEGER NOT NULL,
    head TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE records (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    size INTEGER NOT NULL,
    body TEXT,
    PRIMARY KEY (session, seq),
    UNIQUE (session, id)
  ) STRICT;
  CREATE TABLE contents (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT;
  PRAGMA application_id = ${applicationId};`,
  'ALTER TABLE sessions ADD COLUMN wake_at INTEGER',
]

const newestVersion = steps.length

/**
 * The version of a store's file, 0 for an empty one; writes nothing. The caller has a transaction open, so that all is
 * read at one time.
 *
 * @throws StoreError `unreadable` for another program's database or a store of a newer version.
 */
export function identifyFile(connection: SqliteConnection): number {
  const application = integerOf(connection.all('PRAGMA application_id')[0]?.[0])
  const version = integerOf(connection.all('PRAGMA user_version')[0]?.[0])
  if (application === applicationId) {
    if (version >= 1 && version <= newestVersion) return version
    const message = `the store has schema version ${version}; this release reads 1 to ${newestVersion}`
    throw new StoreError('unreadable', message)
  }
  const objects = integerOf(connection.all('SELECT count(*) FROM sqlite_schema')[0]?.[0])
  if (application === 0 && version === 0 && objects === 0) return 0
  throw new StoreError('unreadable', 'the file is a database, but not a store')
}

/**
 * Takes an empty or older file to the newest version, under the write lock. For a file that cannot be written SQLite
 * takes a read lock instead and says nothing: only a statement that would write finds out.
 */
export function migrateFile(connection: SqliteConnection): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const version = identifyFile(connection)
    for (const step of steps.slice(version)) connection.exec(step)
    if (version < newestVersion) connection.exec(`PRAGMA user_version = ${newestVersion}`)
    else connection.exec("DELETE FROM sessions WHERE session = ''")
    connection.exec('COMMIT')
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK')
  }
}
