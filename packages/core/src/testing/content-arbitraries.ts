import type { Arbitrary } from 'fast-check'
import type { Message } from '../content/message.ts'
import { type BlockArbitraries, blockArbitraries } from './block-arbitraries.ts'
import type { FastCheck } from './fast-check.ts'
import { type IllegalTranscript, illegalTranscriptArbitrary } from './illegal-transcript.ts'
import { type StreamedMessage, streamArbitrary } from './stream-arbitrary.ts'
import { type TranscriptShape, transcriptArbitrary } from './transcript-arbitrary.ts'
import { type ValueArbitraries, valueArbitraries } from './value-arbitraries.ts'

/** Generators of content for property tests. */
export interface ContentArbitraries extends ValueArbitraries, BlockArbitraries {
  /** Any message; its blocks may stand where none of their kind belongs. */
  readonly message: Arbitrary<Message>
  /** A transcript that `validateTranscript` finds nothing in. */
  transcript(shape?: TranscriptShape): Arbitrary<readonly Message[]>
  /** A transcript with a fault, and the issue that names it. */
  readonly illegalTranscript: Arbitrary<IllegalTranscript>
  /** A response with the events that fold to it. */
  readonly streamedMessage: Arbitrary<StreamedMessage>
}

/**
 * Makes generators of content.
 *
 * @param fc - the `fast-check` of the caller, version 4: this door does not load it.
 */
export function contentArbitraries(fc: FastCheck): ContentArbitraries {
  const values = valueArbitraries(fc)
  const blocks = blockArbitraries(fc, values)
  const content = fc.array(blocks.block, { maxLength: 4 })
  const parts = fc.record({ blocks: content, usage: values.usage, isError: fc.boolean() })
  const transcript = (shape: TranscriptShape = {}) => transcriptArbitrary(fc, values, blocks, shape)
  return {
    ...values,
    ...blocks,
    message: parts.chain(({ blocks: all, usage, isError }) =>
      fc.constantFrom<Message>(
        { role: 'system', blocks: all },
        { role: 'user', blocks: all },
        { role: 'assistant', blocks: all, usage },
        { role: 'assistant', blocks: all, model: 'm' },
        { role: 'tool', toolUseId: 'x', isError, blocks: all },
      ),
    ),
    transcript,
    illegalTranscript: illegalTranscriptArbitrary(fc, transcript({ asRequest: true })),
    streamedMessage: streamArbitrary(fc, values, blocks),
  }
}
