import { userMessage } from '@looprig/core'
import { InferenceError, type InferenceRequest } from '@looprig/inference'

/** A request of one user message. */
export function ask(text = 'Hi', parts: Partial<InferenceRequest> = {}): InferenceRequest {
  return { model: { provider: 'test', name: 'lark-2' }, messages: [userMessage(text)], ...parts }
}

/** The error that a promise rejects with, which must be an `InferenceError`. */
export async function failureOf(promise: Promise<unknown>): Promise<InferenceError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof InferenceError) return error
    throw error
  }
  throw new Error('expected a failure')
}
