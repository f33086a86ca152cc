/** Serves the bytes of a stream from memory, so that no network is in the measure. */

const headers = { 'content-type': 'text/event-stream; charset=utf-8' }

/**
 * A `fetch` whose every response is the stream.
 *
 * @param {import('./streams.mjs').Stream} stream
 */
export function memoryFetch({ reads }) {
  return () => {
    let next = 0
    const body = new ReadableStream({
      pull: (controller) => {
        if (next === reads.length) controller.close()
        else controller.enqueue(reads[next++])
      },
    })
    return Promise.resolve(new Response(body, { status: 200, headers }))
  }
}

/**
 * A dispatcher of undici whose every response is the stream; it stops while its reader has enough, as a socket does.
 *
 * @param {import('./streams.mjs').Stream} stream
 */
export function memoryDispatcher({ reads }) {
  return {
    dispatch(_request, handler) {
      let next = 0
      let paused = false
      const send = () => {
        while (!paused && next < reads.length) handler.onResponseData(controller, reads[next++])
        if (!paused && next === reads.length) {
          next += 1
          handler.onResponseEnd(controller, {})
        }
      }
      const controller = {
        aborted: false,
        get paused() {
          return paused
        },
        pause() {
          paused = true
        },
        resume() {
          if (!paused) return
          paused = false
          queueMicrotask(send)
        },
        abort() {
          controller.aborted = true
          paused = true
        },
      }
      handler.onRequestStart(controller, {})
      handler.onResponseStart(controller, 200, headers, 'OK')
      queueMicrotask(send)
      return true
    },
  }
}
