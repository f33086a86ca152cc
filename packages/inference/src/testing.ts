export type { DecodedRecording, FeedOptions, Recording } from './testing/decode-recording.ts'
export { decodeRecording } from './testing/decode-recording.ts'
export type {
  ScriptedClient,
  ScriptedClientOptions,
  ScriptedResponse,
  ScriptedToolCall,
} from './testing/scripted-client.ts'
export { scriptedClient } from './testing/scripted-client.ts'
