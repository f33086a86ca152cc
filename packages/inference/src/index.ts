export type { InferenceClient, InferenceOptions, InferenceStream } from './client/client.ts'
export type { EventSource } from './client/event-stream.ts'
export { createInferenceStream } from './client/event-stream.ts'
export type { InferenceRequest, OutputFormat, ToolChoice, ToolSpec } from './client/request.ts'
export type { InferenceResponse } from './client/response.ts'
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
export { estimateTokens } from './estimate/estimate-tokens.ts'
export type { TokenEstimator } from './estimate/token-estimator.ts'
export { tokenEstimator } from './estimate/token-estimator.ts'
export type { InferenceErrorCode, InferenceErrorOptions, ProviderWords } from './failure/errors.ts'
export { InferenceError, inferenceErrorCodes } from './failure/errors.ts'
export type { Model, ModelCapabilities, ModelLimits, ModelPrices, Sampling } from './model/model.ts'
export type { CreatedModel, CreateModelOptions } from './preset/create-model.ts'
export { createModel } from './preset/create-model.ts'
export type {
  AnthropicPreset,
  BedrockPreset,
  ChatPreset,
  GeminiPreset,
  KnownModels,
  ModelPreset,
  PresetBase,
  ResponsesPreset,
} from './preset/model-preset.ts'
export type { ModelPresetName, ModelPresets } from './preset/presets.ts'
export { modelPresets } from './preset/presets.ts'
export type { AwsCredentialProvider, AwsCredentials } from './provider/bedrock-credentials.ts'
export type { EndpointOptions } from './provider/endpoint-options.ts'
export type { RetryPolicy } from './retry/policy.ts'
export { withRetry } from './retry/with-retry.ts'
export type { GeneratedObject, GenerateObjectOptions } from './structured/generate-object.ts'
export { generateObject } from './structured/generate-object.ts'
export type { OutputStrategyName } from './structured/output-strategy.ts'
export { canUse as canUseStrategy, shapeRequest, strategyOf } from './structured/output-strategy.ts'
export type { OutputText } from './structured/output-text.ts'
export { outputTextOf } from './structured/output-text.ts'
export type { ReadJson } from './structured/read-json.ts'
export { readJson } from './structured/read-json.ts'
export type { StructuredOutputErrorCode, StructuredOutputErrorOptions } from './structured/structured-output-error.ts'
export { StructuredOutputError } from './structured/structured-output-error.ts'
export type { AdaptedTranscript, AdaptTranscriptOptions } from './transcript/adapt-transcript.ts'
export { adaptTranscript, transcriptAdapter } from './transcript/adapt-transcript.ts'
export { transcriptRules } from './transcript/target-rules.ts'
export type { TranscriptChange, TranscriptChangeKind, TranscriptChangeReason } from './transcript/transcript-change.ts'
export type { LegalText, MediaRule, MediaUrlRule, TranscriptRules } from './transcript/transcript-rules.ts'
export type { ConnectionOptions, ProxyVariables } from './transport/dispatcher.ts'
export type { TransportLimits } from './transport/limits.ts'
