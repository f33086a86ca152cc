import { validateTranscript } from '@looprig/core'
import { contentArbitraries, foldEvents } from '@looprig/core/testing'
import fc from 'fast-check'

const arbitraries = contentArbitraries(fc)

export function everyStreamFoldsToItsMessage(): void {
  fc.assert(
    fc.property(arbitraries.streamedMessage, ({ message, events }) => {
      return JSON.stringify(foldEvents(events).message) === JSON.stringify(message)
    }),
  )
}

export function everyFaultIsFound(): void {
  fc.assert(
    fc.property(arbitraries.illegalTranscript, ({ messages, code }) => {
      return validateTranscript(messages, { asRequest: true }).some((issue) => issue.code === code)
    }),
  )
}
