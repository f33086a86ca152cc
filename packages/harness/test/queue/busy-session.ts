/** A session whose first turn waits for the test, so that later inputs queue. */
import type { InferenceClient } from '@looprig/inference'
import { InferenceError } from '@looprig/inference'
import { createDeferred } from '../../src/clock/deferred.ts'
import { openSession, type Setup, streamingClient, textEvents } from '../session/open-session.ts'

/** A client that answers request n with `answer n`, the first one when the test says; it can be told to fail then. */
function heldClient() {
  const asked = createDeferred<void>()
  const goOn = createDeferred<'answer' | 'fail'>()
  const client: InferenceClient = streamingClient(async function* (n) {
    if (n === 1) asked.resolve()
    if (n === 1 && (await goOn.promise) === 'fail') throw new InferenceError('overloaded', 'too busy')
    yield* textEvents(`answer ${n}`)
    yield { type: 'finish', reason: 'stop' }
  })
  return { client, asked: asked.promise, goOn: goOn.resolve }
}

/** Opens it; `goOn` ends the first turn. */
export async function openBusy(setup: Pick<Setup, 'store' | 'clock'> = {}) {
  const held = heldClient()
  const opened = await openSession({ ...setup, client: held.client })
  const first = opened.session.submit('first')
  await held.asked
  return { ...opened, ...held, first }
}
