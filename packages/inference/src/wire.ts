export type {
  FailedResponse,
  ResponseFacts,
  StreamDecoder,
  WireApi,
  WireCodec,
  WireFraming,
  WireMode,
  WireRequest,
} from './codec/wire-codec.ts'
export type { InferenceErrorOptions } from './failure/errors.ts'
export type { ProviderReport } from './failure/provider-error.ts'
export { providerError } from './failure/provider-error.ts'
export type { Redact } from './failure/provider-text.ts'
export type { EndpointOptions } from './provider/endpoint-options.ts'
export type { SignableRequest, WireClientParts } from './provider/wire-client.ts'
export { createWireClient } from './provider/wire-client.ts'
export type { ReadHeader } from './retry/retry-after.ts'
export type { ConnectionOptions } from './transport/dispatcher.ts'
export type { KeyHeader } from './transport/headers.ts'
export type { TransportLimits } from './transport/limits.ts'
export type { FrameReader } from './wire/frame-reader.ts'
export { parseWireObject } from './wire/json-members.ts'
export { wellFormedJson } from './wire/well-formed-json.ts'
