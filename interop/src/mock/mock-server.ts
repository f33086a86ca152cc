import { type ChatCompletionRequest, type JournalEntry, LLMock, type MockServerOptions } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'

/** The key that the mock of a test takes. */
export const mockKey = 'key-of-the-mock'

/** Starts a mock server of its own for a test. It takes one key, and sends its answers in small pieces. */
export async function startMock(options: MockServerOptions = {}): Promise<LLMock> {
  const mock = new LLMock({
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    chunkSize: 5,
    auth: { apiKeys: [mockKey] },
    ...options,
  })
  await mock.start()
  onTestFinished(() => mock.stop())
  return mock
}

/** The requests as the mock read them, each turned into its own form. */
export function received(mock: LLMock): ChatCompletionRequest[] {
  return mock.getRequests().map(bodyOf)
}

function bodyOf({ body }: JournalEntry): ChatCompletionRequest {
  if (body === null || !('messages' in body)) throw new Error('the mock took a request for no conversation')
  return body as ChatCompletionRequest // proved: the handlers of conversations journal no other body
}
