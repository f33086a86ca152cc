import type { InferenceClient, Model } from '@looprig/inference'
import { InferenceError, withRetry } from '@looprig/inference'
import type { ModelOptions } from './arguments.ts'
import { askForModelName } from './local-server.ts'
import type { Environment } from './paths.ts'
import { defaultOpenAIModel, providers } from './providers.ts'
import { connectProxy } from './proxy.ts'
import { readScript } from './script-file.ts'
import { UsageError } from './usage.ts'

/** An OpenAI-compatible server and what to ask it for. */
export interface Server {
  readonly provider: string
  /** Absent when only the server knows its model. */
  readonly name?: string
  readonly baseUrl: string
  readonly apiKey?: string
}

/** A model and the client that reaches it. */
export interface ConnectedModel {
  readonly model: Model
  readonly client: InferenceClient
  /** What a person should know about it. */
  readonly notice?: string
}

/**
 * Connects the model that a run asks for: a script, a server, or the offline guide.
 *
 * @throws UsageError when that cannot be; nothing was written.
 */
export async function connectModel(options: ModelOptions, env: Environment): Promise<ConnectedModel> {
  if (options.script !== undefined) return connectScript(options.script)
  const server = chooseServer(options, env)
  return server === undefined ? connectGuide() : connectServer(server, env)
}

/**
 * Chooses a server: `--model`, else `OPENAI_API_KEY`, else `--base-url`; none means the offline guide. A key goes only
 * to the provider that it belongs to, or to where `--base-url` or its own variable moves that provider.
 *
 * @throws UsageError naming the flag or variable at fault, never its value.
 */
export function chooseServer(options: ModelOptions, env: Environment): Server | undefined {
  const { model, baseUrl } = options
  if (baseUrl !== undefined) checkUrl('--base-url', baseUrl)
  if (model !== undefined) return namedServer(model, baseUrl, env)
  if (env.OPENAI_API_KEY) return namedServer(`openai/${defaultOpenAIModel}`, baseUrl, env)
  return baseUrl === undefined ? undefined : { provider: 'local', baseUrl }
}

/**
 * Makes the client of a server. undici is loaded with its first request.
 *
 * @throws UsageError when the server cannot be used.
 */
async function connectServer(server: Server, env: Environment): Promise<ConnectedModel> {
  const { provider, baseUrl, apiKey } = server
  const name = server.name ?? (await askForModelName(baseUrl))
  const { openAIChatClient } = await import('@looprig/inference/openai')
  try {
    // without a key there is no secret on the way, so a server of one's own network may speak plain http
    const dispatcher = await connectProxy(env)
    const client = openAIChatClient({ baseUrl, apiKey, dispatcher, allowInsecureHttp: apiKey === undefined })
    const model = { provider, name, capabilities: { tools: true } }
    return { model, client: withRetry(client), ...(server.name ? {} : { notice: `using the model ${name}` }) }
  } catch (cause) {
    if (!(cause instanceof InferenceError)) throw cause
    throw new UsageError(`the model's server: ${cause.message}`, { cause })
  }
}

/** Plays a script as a model; retry is as real as with any other. */
async function connectScript(file: string): Promise<ConnectedModel> {
  const responses = await readScript(file)
  const { scriptedClient } = await import('@looprig/inference/testing')
  const model = { provider: 'script', name: 'script', capabilities: { tools: true } }
  return { model, client: withRetry(scriptedClient(responses)) }
}

async function connectGuide(): Promise<ConnectedModel> {
  const { offlineGuide, offlineGuideModel } = await import('./guide/guide.ts')
  const notice = 'no model is configured: the offline guide answers. It is not a language model; see --help'
  return { model: offlineGuideModel, client: offlineGuide(), notice }
}

function namedServer(model: string, baseUrl: string | undefined, env: Environment): Server {
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(slash, 0)).toLowerCase()
  const name = model.slice(slash + 1)
  if (provider === '' || name === '') throw new UsageError('--model: expected PROVIDER/NAME, like openai/gpt-4.1-mini')
  const known = providers.get(provider)
  if (known === undefined) {
    if (baseUrl !== undefined) return { provider, name, baseUrl }
    const names = [...providers.keys()].join(', ')
    throw new UsageError(`--model: unknown provider; known are ${names}; any other needs --base-url`)
  }
  const { keyVariable, baseUrlVariable } = known
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]
  if (keyVariable !== undefined && !apiKey && baseUrl === undefined) {
    throw new UsageError(`--model ${provider}/...: set ${keyVariable}, or name a server with --base-url`)
  }
  const moved = baseUrlVariable === undefined ? undefined : env[baseUrlVariable]
  if (baseUrlVariable !== undefined && moved) checkUrl(baseUrlVariable, moved)
  return { provider, name, baseUrl: baseUrl ?? (moved || known.baseUrl), ...(apiKey ? { apiKey } : {}) }
}

function checkUrl(source: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isWeb) throw new UsageError(`${source}: expected a URL like http://localhost:11434/v1`)
  if (url?.username || url?.password) throw new UsageError(`${source}: expected no user name or password in the URL`)
}
