export type { RecordedExchange, RecordedFailure } from './replay/exchange.ts'
export { requestDigest } from './replay/exchange.ts'
export { readExchanges } from './replay/read-exchanges.ts'
export type { ExchangeSink } from './replay/recording-client.ts'
export { recordingClient } from './replay/recording-client.ts'
export type { ReplayClient, ReplayClientOptions } from './replay/replay-client.ts'
export { replayClient } from './replay/replay-client.ts'
export type { ClientContractSubject, ClientContractWorld } from './testing/client-contract.ts'
export { runClientContract } from './testing/client-contract.ts'
export type { CodecContractSubject } from './testing/codec-contract.ts'
export { runCodecContract } from './testing/codec-contract.ts'
export type { CodecFixture } from './testing/codec-fixture.ts'
export type { DecodedRecording, FeedOptions, Recording } from './testing/decode-recording.ts'
export { decodeRecording } from './testing/decode-recording.ts'
export type {
  ScriptedClient,
  ScriptedClientOptions,
  ScriptedResponse,
  ScriptedToolCall,
} from './testing/scripted-client.ts'
export { scriptedClient } from './testing/scripted-client.ts'
export type { TestRegistrar } from './testing/test-registrar.ts'
