import type { Dispatcher } from 'undici'
import type { Environment } from './paths.ts'

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const

/** Goes through the proxy that the environment names, but for the hosts of NO_PROXY; undefined when it names none. */
export async function connectProxy(env: Environment): Promise<Dispatcher | undefined> {
  if (!proxyVariables.some((name) => env[name])) return undefined
  const { EnvHttpProxyAgent } = await import('undici')
  // an empty text says that there is none: without it the agent would read the environment by itself
  return new EnvHttpProxyAgent({
    httpProxy: env.http_proxy || env.HTTP_PROXY || '',
    httpsProxy: env.https_proxy || env.HTTPS_PROXY || '',
    noProxy: env.no_proxy || env.NO_PROXY || '',
  })
}
