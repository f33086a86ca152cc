import { textOf, userMessage } from '@looprig/core'
import { InferenceError, withRetry } from '@looprig/inference'
import { openAIChatClient } from '@looprig/inference/openai'

export async function answer(question: string, baseUrl: string, apiKey: string): Promise<string> {
  const client = withRetry(openAIChatClient({ baseUrl, apiKey }), { maxAttempts: 4 })
  const stream = client.stream({
    model: { provider: 'openai', name: 'gpt-4.1-mini' },
    system: 'Answer in one sentence.',
    messages: [userMessage(question)],
    sampling: { maxOutputTokens: 200 },
  })
  try {
    for await (const event of stream) {
      if (event.type === 'text_delta') process.stdout.write(event.text)
      if (event.type === 'retrying') console.error(`${event.code}: again in ${event.delayMs} ms`)
    }
    const { message, finishReason } = await stream.result()
    return finishReason === 'length' ? `${textOf(message.blocks)} ...` : textOf(message.blocks)
  } catch (error) {
    if (error instanceof InferenceError && error.code === 'context_overflow') return 'The question is too long.'
    throw error
  }
}
