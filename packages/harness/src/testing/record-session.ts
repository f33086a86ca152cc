import { createDeferred, type Deferred } from '../clock/deferred.ts'
import type { Delivery, Event } from '../event/event.ts'
import type { EventType } from '../event/registry.ts'
import type { Session, SubscribeOptions } from '../session/session.ts'

/** What a session said since the recording began. It keeps everything: for tests. */
export interface SessionRecording {
  /** In the order of delivery. */
  readonly deliveries: readonly Delivery[]
  /** Resolves when the subscription ends; with the error that ended it, if any. */
  readonly ended: Promise<Error | undefined>
  /** The recorded events of one type. */
  events<T extends EventType>(type: T): readonly Extract<Event, { readonly type: T }>[]
  /**
   * Resolves with event number `count` of a type, at once when it was recorded already.
   *
   * @throws Error when the recording ends before.
   */
  waitFor<T extends EventType>(type: T, count?: number): Promise<Extract<Event, { readonly type: T }>>
  /** Ends the recording. */
  close(): void
}

/** Subscribes to a session and keeps what it says. Begins at the call; `since: 0` includes all that was before. */
export function recordSession(session: Session, options?: SubscribeOptions): SessionRecording {
  const subscription = session.subscribe(options)
  const deliveries: Delivery[] = []
  let changed: Deferred<void> = createDeferred()
  let over = false

  const ended = (async () => {
    let failure: Error | undefined
    try {
      for await (const delivery of subscription) {
        deliveries.push(delivery)
        changed.resolve()
        changed = createDeferred()
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    over = true
    changed.resolve()
    return failure
  })()

  const events = <T extends EventType>(type: T) =>
    deliveries.map(({ event }) => event).filter((event): event is Extract<Event, { type: T }> => event.type === type)

  const waitFor = async <T extends EventType>(type: T, count = 1) => {
    for (;;) {
      const found = events(type)[count - 1]
      if (found !== undefined) return found
      if (over) throw new Error(`the session ended before event ${count} of type ${type}`)
      await changed.promise
    }
  }

  return { deliveries, ended, events, waitFor, close: () => subscription.close() }
}
