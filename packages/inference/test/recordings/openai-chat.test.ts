import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { describeRecordings } from './recordings.ts'

const codec = createChatCodec()

describeRecordings('openai-chat', () => codec)
