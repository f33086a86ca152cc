import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import { describeRecordings } from './recordings.ts'

const codec = createResponsesCodec()

describeRecordings('openai-responses', () => codec)
