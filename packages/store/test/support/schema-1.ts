/** A file as the release with schema version 1 made it. */
import { writeFileSync } from 'node:fs'

import { newRecord } from '../../src/testing.ts'
import { openBeside } from './sqlite-fixture.ts'

const tables = `
  PRAGMA journal_mode = WAL;
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
  PRAGMA application_id = ${0x4c524947};
  PRAGMA user_version = 1;
`

/** Makes the file, with the session "a" of epoch 3, head "head" and the record "one". Gives a connection to it. */
export function makeSchema1(path: string) {
  writeFileSync(path, '', { mode: 0o600 })
  const connection = openBeside(path)
  connection.exec(tables)
  const { id, kind, body, digest } = newRecord('one')
  connection.run("INSERT INTO sessions (session, epoch, tip, created, at, head) VALUES ('a', 3, 1, 10, 20, 'head')")
  connection.run(
    "INSERT INTO records (session, seq, id, kind, digest, at, size, body) VALUES ('a', 1, ?, ?, ?, 20, ?, ?)",
    id,
    kind,
    digest,
    body.length,
    body,
  )
  return connection
}
