import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { describeRecordings } from './recordings.ts'

const codec = createBedrockCodec()

describeRecordings('bedrock-converse', () => codec)
