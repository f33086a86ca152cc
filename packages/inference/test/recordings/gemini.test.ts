import { createGeminiCodec } from '../../src/codec/gemini/codec.ts'
import { describeRecordings } from './recordings.ts'

const codec = createGeminiCodec()

describeRecordings('gemini', () => codec)
