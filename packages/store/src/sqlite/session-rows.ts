/** The rows of sessions: epoch, tip and what a list shows. */
import type { LedgerSession } from '../contract/ledger.ts'
import type { SqliteConnection, SqlRow } from './driver.ts'
import { bytesOf, integerOf, textOf } from './row.ts'

/** A session's row as an append needs it. */
export interface SessionRow {
  readonly epoch: number
  readonly tip: number
}

/** What an append changes in the session's row. */
export interface SessionChange {
  readonly tip: number
  readonly at: number
  /** `undefined` keeps it. */
  readonly head: string | undefined
}

export function findSessionRow(connection: SqliteConnection, session: string): SessionRow | undefined {
  const row = connection.all('SELECT epoch, tip FROM sessions WHERE session = ?', session)[0]
  return row && { epoch: integerOf(row[0]), tip: integerOf(row[1]) }
}

/** Adds one to the epoch and gives it; makes the session with epoch 1. */
export function raiseEpoch(connection: SqliteConnection, session: string, at: number): number {
  const rows = connection.all(
    `INSERT INTO sessions (session, epoch, tip, created, at, head) VALUES (?, 1, 0, ?, ?, '')
     ON CONFLICT (session) DO UPDATE SET epoch = epoch + 1 RETURNING epoch`,
    session,
    at,
    at,
  )
  return integerOf(rows[0]?.[0])
}

export function changeSessionRow(connection: SqliteConnection, session: string, change: SessionChange): void {
  connection.run(
    'UPDATE sessions SET tip = ?, at = ?, head = coalesce(?, head) WHERE session = ?',
    change.tip,
    change.at,
    change.head ?? null,
    session,
  )
}

export function findEntry(connection: SqliteConnection, session: string): LedgerSession | undefined {
  const row = connection.all('SELECT session, tip, at, CAST(head AS BLOB) FROM sessions WHERE session = ?', session)[0]
  return row && entryOf(row)
}

/** The last active first; among equals the greater name. */
export function listEntries(connection: SqliteConnection): readonly LedgerSession[] {
  return connection
    .all('SELECT session, tip, at, CAST(head AS BLOB) FROM sessions ORDER BY at DESC, session DESC')
    .map(entryOf)
}

function entryOf([session, tip, at, head]: SqlRow): LedgerSession {
  return { session: textOf(session), tip: integerOf(tip), at: integerOf(at), head: bytesOf(head).toString() }
}
