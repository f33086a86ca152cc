import { type AIMessage, type JsonValue, textOf } from '@looprig/core'

/** Says whether a message is an output. */
export function holdsOutput(message: AIMessage | undefined): boolean {
  try {
    return message !== undefined && readOutput(message) !== undefined
  } catch {
    return false
  }
}

/**
 * Reads the output of a turn from the message that its history keeps of it.
 *
 * @throws SyntaxError when it holds none.
 */
export function readOutput({ blocks }: AIMessage): JsonValue {
  // proved: what JSON text says is JSON data
  return JSON.parse(textOf(blocks)) as JsonValue
}
