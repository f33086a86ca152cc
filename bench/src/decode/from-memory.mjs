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
  const rawHeaders = Object.entries(headers)
    .flat()
    .map((text) => Buffer.from(text))
  return {
    dispatch(_request, handler) {
      let next = 0
      let isAborted = false
      const send = () => {
        while (!isAborted && next < reads.length) if (handler.onData(reads[next++]) === false) return
        if (!isAborted) handler.onComplete([])
      }
      const abort = () => {
        isAborted = true
      }
      handler.onConnect(abort, null)
      // it goes on when the reader asks for more, as a socket does
      if (handler.onHeaders(200, rawHeaders, () => queueMicrotask(send), 'OK') !== false) queueMicrotask(send)
      return true
    },
  }
}
