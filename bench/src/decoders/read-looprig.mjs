/** Reads a response of one of our clients, event by event. */

const model = { provider: 'scripted', name: 'scripted', limits: { maxOutputTokens: 1_000 } }
const messages = [{ role: 'user', blocks: [{ type: 'text', text: 'Write.' }] }]

/** @param {import('@looprig/inference').InferenceClient} client */
export function readStream(client) {
  return async () => {
    const stream = client.stream({ model, messages })
    let seen = 0
    for await (const event of stream) {
      if (event.type === 'text_delta' || event.type === 'tool_input_delta') seen += event.text.length
    }
    await stream.result()
    return seen
  }
}
