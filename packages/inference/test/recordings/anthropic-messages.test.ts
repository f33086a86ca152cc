import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { describeRecordings } from './recordings.ts'

const codec = createAnthropicCodec()

describeRecordings('anthropic-messages', () => codec)
