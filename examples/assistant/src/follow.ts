import {
  type Delivery,
  type Event,
  eventRegistry,
  type Session,
  type Submission,
  SubscriptionLossError,
} from '@looprig/harness'

/**
 * The events of one submission up to its turn's end. A reader who was too slow for the live buffer goes on from the
 * journal, so that no enduring event is missed.
 */
export async function* followSubmission(session: Session, submission: Submission): AsyncGenerator<Delivery, void> {
  let resumeFrom: number
  try {
    yield* submission
    return
  } catch (error) {
    if (!(error instanceof SubscriptionLossError)) throw error
    resumeFrom = error.resumeFrom
  }
  // only events with an input id tell whose turn it is; its turn id follows from the first of them
  const { turnId } = await submission.result()
  for await (const delivery of followSession(session, resumeFrom)) {
    const { event } = delivery
    const isMine = 'turnId' in event ? event.turnId === turnId : isOf(event, submission.inputId)
    if (!isMine) continue
    yield delivery
    if (event.type === 'InputCancelled' || eventRegistry[event.type].endsTurn) return
  }
}

/** All events of a session until it ends, from `since` or from now on; a slow reader misses ephemeral ones only. */
export async function* followSession(session: Session, since?: number): AsyncGenerator<Delivery, void> {
  let subscription = session.subscribe({ since })
  for (;;) {
    try {
      yield* subscription
      return
    } catch (error) {
      if (!(error instanceof SubscriptionLossError)) throw error
      subscription = session.subscribe({ since: error.resumeFrom })
    }
  }
}

function isOf(event: Event, inputId: string): boolean {
  return 'inputId' in event && event.inputId === inputId
}
