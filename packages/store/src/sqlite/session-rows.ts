/** The rows of sessions: epoch, tip and what a list shows. */
import type { LedgerSession } from '../contract/ledger.ts'
import type { SqliteConnection, SqlRow } from './driver.ts'
import { bytesOf, integerOf, optionalIntegerOf, textOf } from './row.ts'

/** A session's row as an append needs it. */
export interface SessionRow {
  readonly epoch: number
  readonly tip: number
  readonly wakeAt: number | undefined
}

/** What an append changes in the session's row. */
export interface SessionChange {
  readonly tip: number
  /** `undefined` keeps it. */
  readonly at: number | undefined
  /** `undefined` keeps it. */
  readonly head: string | undefined
  /** `undefined` clears it. */
  readonly wakeAt: number | undefined
}

export function findSessionRow(connection: SqliteConnection, session: string): SessionRow | undefined {
  const row = connection.all('SELECT epoch, tip, wake_at FROM sessions WHERE session = ?', session)[0]
  return row && { epoch: integerOf(row[0]), tip: integerOf(row[1]), wakeAt: optionalIntegerOf(row[2]) }
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
    'UPDATE sessions SET tip = ?, at = coalesce(?, at), head = coalesce(?, head), wake_at = ? WHERE session = ?',
    change.tip,
    change.at ?? null,
    change.head ?? null,
    change.wakeAt ?? null,
    session,
  )
}

/** The tips of those sessions that are there. */
export function findTips(
  connection: SqliteConnection,
  sessions: readonly string[],
): readonly (readonly [session: string, tip: number])[] {
  return connection
    .all(
      'SELECT session, tip FROM sessions WHERE session IN (SELECT value FROM json_each(?))',
      JSON.stringify(sessions),
    )
    .map(([session, tip]) => [textOf(session), integerOf(tip)])
}

const entryColumns = 'session, tip, at, CAST(head AS BLOB), wake_at'

export function findEntry(connection: SqliteConnection, session: string): LedgerSession | undefined {
  const row = connection.all(`SELECT ${entryColumns} FROM sessions WHERE session = ?`, session)[0]
  return row && entryOf(row)
}

/** The last active first; among equals the greater name. */
export function listEntries(connection: SqliteConnection): readonly LedgerSession[] {
  return connection.all(`SELECT ${entryColumns} FROM sessions ORDER BY at DESC, session DESC`).map(entryOf)
}

function entryOf([session, tip, at, head, wakeAt]: SqlRow): LedgerSession {
  return {
    session: textOf(session),
    tip: integerOf(tip),
    at: integerOf(at),
    head: bytesOf(head).toString(),
    wakeAt: optionalIntegerOf(wakeAt),
  }
}
