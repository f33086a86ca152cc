import { ContentError, decodeMessages, type Message, parseJson, validateTranscript } from '@looprig/core'

export function importHistory(json: string): readonly Message[] {
  const messages = decodeMessages(parseJson(json)) // ContentError: nothing half-read
  const [issue] = validateTranscript(messages)
  if (issue !== undefined) throw new ContentError('content_invalid', `messages[${issue.index}]`, issue.code)
  return messages
}
