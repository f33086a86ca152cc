export type { BlockArbitraries } from './testing/block-arbitraries.ts'
export {
  assistantMessage,
  errorResultMessage,
  resultMessage,
  systemMessage,
  thinkingBlock,
  toolUseBlock,
} from './testing/build-message.ts'
export type { ContentArbitraries } from './testing/content-arbitraries.ts'
export { contentArbitraries } from './testing/content-arbitraries.ts'
export type { FastCheck } from './testing/fast-check.ts'
export type { IllegalTranscript } from './testing/illegal-transcript.ts'
export type { StreamedMessage } from './testing/stream-arbitrary.ts'
export type { StreamedAs } from './testing/stream-events.ts'
export { blockEventsOf, finishOf, foldEvents, piecesOf, streamEventsOf } from './testing/stream-events.ts'
export type { TranscriptShape } from './testing/transcript-arbitrary.ts'
export type { ValueArbitraries } from './testing/value-arbitraries.ts'
export { wholeBlocks, wholeMessages } from './testing/whole-content.ts'
