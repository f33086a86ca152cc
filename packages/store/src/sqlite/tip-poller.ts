/** Looks for the growth of watched sessions by other connections, of this process and of others. */
import type { TipSource, Watchers } from '../watch/watchers.ts'
import type { Database } from './database.ts'
import { isBusy, type SqliteConnection } from './driver.ts'
import { storeErrorOf } from './failure.ts'
import { integerOf } from './row.ts'
import { findTips } from './session-rows.ts'
import type { StartTicker } from './ticker.ts'

/** One look costs a few microseconds while nothing has changed. */
const pollMs = 50

/** Looks while somebody watches; each look is one synchronous piece of work, so no transaction outlives it. */
export class TipPoller implements TipSource {
  readonly #database: Database
  readonly #watchers: Watchers
  readonly #startTicker: StartTicker
  readonly #ensureOpen: () => void
  #stopTicker: (() => void) | undefined
  /** What the tips were last read from; `undefined` when they must be read again. */
  #seen: { readonly connection: SqliteConnection; readonly version: number } | undefined

  constructor(database: Database, watchers: Watchers, startTicker: StartTicker, ensureOpen: () => void) {
    this.#database = database
    this.#watchers = watchers
    this.#startTicker = startTicker
    this.#ensureOpen = ensureOpen
  }

  begun(session: string): void {
    this.#ensureOpen()
    this.#stopTicker ??= this.#startTicker(() => this.#look(), pollMs)
    this.#attempt((connection) => this.#tell(connection, [session]))
  }

  idle(): void {
    this.#stopTicker?.()
    this.#stopTicker = undefined
    this.#seen = undefined
  }

  #look(): void {
    this.#attempt((connection) => {
      // Read before the tips: what is committed between the two is seen by the next look. Its values can be compared
      // only within one connection, and do not tell of what the connection itself has committed.
      const version = integerOf(connection.all('PRAGMA data_version')[0]?.[0])
      if (this.#seen?.connection === connection && this.#seen.version === version) return
      this.#tell(connection, this.#watchers.sessions)
      this.#seen = { connection, version }
    })
  }

  #tell(connection: SqliteConnection, sessions: readonly string[]): void {
    for (const [session, tip] of findTips(connection, sessions)) this.#watchers.grow(session, tip)
  }

  #attempt(work: (connection: SqliteConnection) => void): void {
    try {
      work(this.#database.use())
    } catch (error) {
      // The next look reads all tips.
      this.#seen = undefined
      if (isBusy(error)) return
      this.idle()
      this.#watchers.fail(storeErrorOf(error))
    }
  }
}
