import type { InferenceClient } from '../client/client.ts'
import { createInferenceStream, sourceOf } from '../client/event-stream.ts'

/** Makes a client that is opened with its first request. What opening throws fails that request; the next tries anew. */
export function lazyClient(open: () => Promise<InferenceClient>): InferenceClient {
  let opening: Promise<InferenceClient> | undefined
  let opened: InferenceClient | undefined
  const get = async (): Promise<InferenceClient> => {
    opening ??= open()
    try {
      opened = await opening
      return opened
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return {
    stream: (request, options = {}) =>
      opened?.stream(request, options) ??
      createInferenceStream(async function* (signal) {
        yield* sourceOf((await get()).stream(request, { signal }))
      }, options.signal),
    invoke: async (request, options) => (opened ?? (await get())).invoke(request, options),
  }
}
