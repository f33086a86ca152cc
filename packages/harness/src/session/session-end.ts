import type { IdSource } from '../clock/id-source.ts'
import { SessionError } from '../error/errors.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopHandle } from '../runtime/loop-handle.ts'
import type { SessionEnding } from '../runtime/loop-host.ts'
import { joinDrafts } from './join-drafts.ts'
import type { LoopDirectory } from './loop-directory.ts'
import type { Draft } from './session-log.ts'

/** How a session ends: what it was asked for first, and what that writes. */
export class SessionEnd {
  readonly #loops: LoopDirectory
  readonly #ids: IdSource
  #ending: SessionEnding | undefined
  #isStopped = false

  constructor(loops: LoopDirectory, ids: IdSource) {
    this.#loops = loops
    this.#ids = ids
  }

  /** How it is being ended, once it is. */
  get ending(): SessionEnding | undefined {
    return this.#ending
  }

  /** `SessionStopped` is durable. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Nothing is decided to start from here on. The first call counts. */
  begin(ending: SessionEnding): SessionEnding {
    this.#ending ??= ending
    return this.#ending
  }

  /** @throws SessionError `session_closed` when the session takes no more. */
  checkOpen(): void {
    if (this.#ending !== undefined) throw this.closedError()
  }

  /** @throws SessionError `session_closed` when `SessionStopped` is durable. */
  checkStopped(): void {
    if (this.#isStopped) throw this.closedError()
  }

  /** Why the session takes no more. */
  closedError(): SessionError {
    const message =
      this.#ending === 'stop' ? 'the session was stopped for good' : 'the session was shut down; restore it to go on'
    return new SessionError('session_closed', message)
  }

  /** What a shutdown writes at last: what waits for a loop is work for the next owner. */
  parkDraft(): Draft | undefined {
    // what waits behind a turn that waits for people is none
    return this.#loops.works() ? { records: [], wakeAt: 0 } : undefined
  }

  /** What ends the session for good, with all that waits for a loop other than `resting`; nothing once it has. */
  stopDraft(resting?: LoopHandle): Draft | undefined {
    if (this.#isStopped) return undefined
    const queues = this.#loops
      .all()
      .filter((loop) => loop !== resting)
      .map((loop) => loop.cancelQueue())
    return joinDrafts(...queues, {
      records: [eventDraft({ type: 'SessionStopped' }, this.#ids)],
      head: { status: 'stopped' },
      wakeAt: null,
      apply: () => {
        this.#isStopped = true
      },
    })
  }

  /** What another process handed over in the moment of the stop ends behind it. */
  lateDraft(): Draft | undefined {
    const waiting = this.#loops.all().filter((loop) => loop.queueLength > 0)
    if (waiting.length === 0) return undefined
    return joinDrafts(...waiting.map((loop) => loop.cancelQueue()), { records: [], wakeAt: null })
  }
}
