/** A record as its writer hands it over. */
export interface NewRecord {
  /** Unique within the session; what may be true once has one id, so that the first writer wins. At most 256 bytes. */
  readonly id: string
  readonly kind: 'input' | 'event' | 'step' | 'run'
  /** Exact text, kept byte for byte; at most `maxBodyBytes` of UTF-8. Half of a surrogate pair is `invalid`. */
  readonly body: string
  /** Lower-case hex SHA-256 of the body's UTF-8 bytes. */
  readonly digest: string
}

/** A record as it was committed. */
export interface StoredRecord extends NewRecord {
  /** 1, 2, 3, ... within its session, without a gap. The only order there is. */
  readonly seq: number
  /** When it was committed, by the store's clock: milliseconds since 1970. For people; never for order. */
  readonly at: number
}

/** The largest body of one record, in bytes of UTF-8. */
export const maxBodyBytes = 16 * 1024 * 1024

/** The most records of one append or one page. */
export const maxGroupRecords = 1_000

/** One group of records: committed whole or not at all. */
export interface AppendRequest {
  /** 1 to 64 of a-z, 0-9 and "-", not "-" first: safe as a file name. */
  readonly session: string
  /**
   * The epoch of the writer's lease. The append is refused as `fenced` unless it is the session's present one.
   *
   * Absent: from any process, with no lease, beside an owner or without one, to a session that has a record; else
   * `fenced`. Slots alone decide between such writers and the owner. The store does not know what a record means:
   * which ones may come without an epoch is the caller's rule.
   */
  readonly epoch?: number | undefined
  /**
   * 1 to 1,000 records with ids that differ. None only with `epoch` and `wakeAt`, for an owner that has seen that
   * nothing is left to do: tip and `at` stay, the answer is `ok` or `fenced`.
   */
  readonly records: readonly NewRecord[]
  /** Replaces the session's head in the same transaction: a short text for lists, at most 16 KiB. Absent keeps it. */
  readonly head?: string | undefined
  /**
   * Replaces the session's `wakeAt` in the same transaction, in milliseconds of store time; `null` clears it. Absent
   * keeps it; but an append without an epoch sets it to its own `at` when the session has none that is earlier, since
   * nobody may be there to see the record.
   */
  readonly wakeAt?: number | null | undefined
  /**
   * The tip that the writer knew when it chose `wakeAt`. When others have appended since, `wakeAt` makes the session's
   * only earlier, never later or none: a wake that the writer has not seen is not lost. Absent: as it is given.
   */
  readonly seen?: number | undefined
}

/**
 * What became of an append.
 *
 * - `ok`: durable. `records` are the committed ones, in order. When the first does not follow the last that the writer
 *   knows, others have appended between. Sending the same group again gives the same answer and leaves head and `wakeAt`
 *   alone.
 * - `slot_taken`: nothing was written; `ids` are all ids of the group that exist. One of them has other content, or the
 *   group is not there whole, in this order and without a gap.
 * - `fenced`: nothing was written; another owner has taken the session over, or the session is not there; without an
 *   epoch: it has no record. This comes before any look at the ids.
 * - `unknown`: it may have been written, or may still be. Send the same group again until the answer is another.
 */
export type AppendOutcome =
  | { readonly outcome: 'ok'; readonly records: readonly StoredRecord[] }
  | { readonly outcome: 'slot_taken'; readonly ids: readonly string[] }
  | { readonly outcome: 'fenced' }
  | { readonly outcome: 'unknown'; readonly cause: unknown }

/** A part of a session's records. */
export interface ReadRequest {
  readonly session: string
  /** Records with a greater seq; 0 is from the start. */
  readonly after: number
  /** 1 to 1,000. */
  readonly limit: number
}

/** What a watcher waits for. */
export interface WatchRequest {
  readonly session: string
  /** Tips that are greater; 0 is any record. */
  readonly after: number
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

/** One session of a list. */
export interface LedgerSession {
  readonly session: string
  /** The highest seq; 0 while nothing was appended. */
  readonly tip: number
  /** The store's time of the last append; of the creation while nothing was appended. */
  readonly at: number
  /** What the last append with a head gave; `''` before. */
  readonly head: string
  /** From when, in milliseconds of store time, the session has work for which it needs an owner; see `AppendRequest`. */
  readonly wakeAt: number | undefined
}

/** The durable records of all sessions. Every method may throw `StoreError`. */
export interface Ledger {
  /**
   * Appends one group in one transaction. A busy store is waited for inside, within a limit: an append always settles.
   *
   * @throws StoreError when it is definite that nothing was written: disk full, body too large, read-only, closed.
   */
  append(request: AppendRequest): Promise<AppendOutcome>
  /**
   * Reads one page in seq order. Only an empty page is the end: large bodies make a page shorter than its limit. A
   * session that does not exist has an empty page.
   *
   * @throws StoreError `corrupt`, with the seq; the records before it can still be read.
   */
  read(request: ReadRequest): Promise<readonly StoredRecord[]>
  /** One session's entry, or `undefined`. */
  find(session: string): Promise<LedgerSession | undefined>
  /** All sessions, the last active first; among equals the greater name first. */
  list(): Promise<readonly LedgerSession[]>
  /** The store's time in whole milliseconds since 1970: by the clock that stamps `at`. It may go back. */
  now(): Promise<number>
  /**
   * Tells of a session's growth by any process: yields its tip whenever that is greater than the last one yielded, and
   * at first than `after`. Growth while the consumer is busy is merged: only the latest tip waits. It is a hint, never
   * early, and comes at once for appends of this store, within two seconds for those of others. The session need not
   * be there. Any number may watch; each iteration is a watch of its own. A watch keeps no process alive.
   *
   * It ends when `signal` aborts or the consumer leaves, and never by itself.
   *
   * @throws StoreError when it is first or next asked: `closed` at the close of the store, `invalid`, or why the store
   * cannot be read any more; a busy one is waited for.
   */
  watch(request: WatchRequest): AsyncIterable<number>
}
