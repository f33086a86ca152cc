import { assertNever, deepFreeze } from '@looprig/core'
import type { InferenceClient } from '../client/client.ts'
import { optionError } from '../failure/option-error.ts'
import type { Model, ModelCapabilities, ModelLimits, ModelPrices, Sampling } from '../model/model.ts'
import type { AwsCredentialProvider, AwsCredentials } from '../provider/bedrock-credentials.ts'
import type { EndpointOptions } from '../provider/endpoint-options.ts'
import { parseBaseUrl } from '../transport/endpoint.ts'
import { requestHeaders } from '../transport/headers.ts'
import { resolveLimits } from '../transport/limits.ts'
import { lazyClient } from './lazy-client.ts'
import type { ModelPreset } from './model-preset.ts'
import { type ModelPresetName, modelPresets } from './presets.ts'

/** What a preset leaves open. */
export interface CreateModelOptions extends EndpointOptions {
  /** The wire name, for example `claude-sonnet-4-5`. */
  readonly model: string
  /** The value of the preset's `keyVariable`. May be absent where `headers`, `credentials` or another `baseUrl` is given. */
  readonly apiKey?: string | undefined
  /** Default: the preset's. */
  readonly baseUrl?: string | undefined
  /** Of Bedrock, for example `eu-central-1`: the value of the preset's `regionVariable`. */
  readonly region?: string | undefined
  /** Of Bedrock, instead of `apiKey`. */
  readonly credentials?: AwsCredentials | AwsCredentialProvider | undefined
  /** Laid over what is known of the model, field by field. */
  readonly capabilities?: ModelCapabilities | undefined
  /** Laid over what is known of the model, field by field. */
  readonly limits?: ModelLimits | undefined
  readonly sampling?: Sampling | undefined
  readonly prices?: ModelPrices | undefined
}

/** A model and the client that reaches it. */
export interface CreatedModel {
  readonly client: InferenceClient
  /** Frozen; holds no secret. */
  readonly model: Model
}

/**
 * Makes a model of a provider, and the client for it. The protocol's code is loaded with the first request. The client
 * retries nothing: see `withRetry`.
 *
 * @throws InferenceError `invalid_options`, naming the option.
 */
export function createModel(preset: ModelPresetName | ModelPreset, options: CreateModelOptions): CreatedModel {
  const chosen = typeof preset === 'string' ? presetOf(preset) : preset
  const { model: name, capabilities, limits, sampling, prices } = options
  if (typeof name !== 'string' || name === '') throw optionError('model', 'expected the wire name of a model')
  checkEndpoint(chosen, options)
  const known = chosen.models.find(({ match }) => match.test(name))
  const model: Model = {
    provider: chosen.provider,
    name,
    capabilities: { ...known?.capabilities, ...capabilities },
    limits: { ...known?.limits, ...limits },
    ...(sampling === undefined ? {} : { sampling: structuredClone(sampling) }),
    ...(prices === undefined ? {} : { prices: { ...prices } }),
  }
  return { client: lazyClient(() => openClient(chosen, options)), model: deepFreeze(model) }
}

function presetOf(name: ModelPresetName): ModelPreset {
  if (Object.hasOwn(modelPresets, name)) return modelPresets[name]
  throw optionError('preset', `expected one of ${Object.keys(modelPresets).join(', ')}`)
}

/** Finds early what the client itself would only find with its first request. */
function checkEndpoint(preset: ModelPreset, options: CreateModelOptions): void {
  const { apiKey, baseUrl = preset.baseUrl, headers, region, credentials } = options
  const { keyVariable } = preset
  requestHeaders(apiKey, headers, preset.keyHeader)
  resolveLimits(options)
  if (baseUrl !== undefined) parseBaseUrl(baseUrl, options.allowInsecureHttp === true)
  if (preset.api === 'bedrock-converse') {
    if (region === undefined) throw optionError('region', `expected one, for example from ${preset.regionVariable}`)
    if ((apiKey === undefined) === (credentials === undefined)) {
      throw optionError('credentials', `expected either credentials or apiKey, for example from ${keyVariable}`)
    }
    return
  }
  if (region !== undefined) throw optionError('region', `expected none for ${preset.provider}`)
  if (credentials !== undefined) throw optionError('credentials', `expected none for ${preset.provider}`)
  if (baseUrl === undefined) throw optionError('baseUrl', `expected one, since the preset has none`)
  const needsKey = keyVariable !== undefined && options.headers === undefined && options.baseUrl === undefined
  if (needsKey && apiKey === undefined) throw optionError('apiKey', `expected one, for example from ${keyVariable}`)
}

async function openClient(preset: ModelPreset, options: CreateModelOptions): Promise<InferenceClient> {
  const { baseUrl = preset.baseUrl, region = '', credentials } = options
  const endpoint = { ...options, baseUrl }
  switch (preset.api) {
    case 'anthropic-messages': {
      const { anthropicClient } = await import('../provider/anthropic-client.ts')
      return anthropicClient({ ...endpoint, keyHeader: preset.keyHeader })
    }
    case 'openai-chat': {
      const [{ openAIChatClient }, { chatProfiles }] = await Promise.all([
        import('../provider/openai-chat-client.ts'),
        import('../codec/openai-chat/profiles.ts'),
      ])
      const profile = typeof preset.profile === 'string' ? chatProfiles[preset.profile] : preset.profile
      return openAIChatClient({ ...endpoint, baseUrl: baseUrl ?? '', keyHeader: preset.keyHeader, profile })
    }
    case 'openai-responses': {
      const { openAIResponsesClient } = await import('../provider/openai-responses-client.ts')
      return openAIResponsesClient({ ...endpoint, keyHeader: preset.keyHeader })
    }
    case 'gemini': {
      const { geminiClient } = await import('../provider/gemini-client.ts')
      return geminiClient({ ...endpoint, keyHeader: preset.keyHeader })
    }
    case 'bedrock-converse': {
      const { bedrockClient } = await import('../provider/bedrock-client.ts')
      return bedrockClient({ ...endpoint, region, credentials })
    }
    default:
      return assertNever(preset, 'preset')
  }
}
