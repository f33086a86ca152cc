import type { Dispatcher } from 'undici'
import { optionError } from '../failure/option-error.ts'

/** What the proxy variables of an environment say. Whoever composes the program reads them; nothing here does. */
export interface ProxyVariables {
  /** `HTTP_PROXY`: for http URLs, and for https ones where `httpsProxy` is absent. */
  readonly httpProxy?: string | undefined
  /** `HTTPS_PROXY`: for https URLs. */
  readonly httpsProxy?: string | undefined
  /** `NO_PROXY`: hosts, with or without port, that are reached directly, divided by commas or spaces; `*`: all. */
  readonly noProxy?: string | undefined
}

/** How connections are made: directly, through a proxy, or by a dispatcher that the caller owns and closes. */
export interface ConnectionOptions {
  /** An HTTP or HTTPS proxy; it may hold credentials. */
  readonly proxyUrl?: string | undefined
  /** Proxies by the kind of URL; they may hold credentials. An empty text is the same as none. */
  readonly proxyVariables?: ProxyVariables | undefined
  readonly dispatcher?: Dispatcher | undefined
}

/**
 * Gives a function that makes the dispatcher when it is first asked for, and undici with it. Idle connections close
 * by themselves and do not keep the process alive.
 *
 * @throws InferenceError `invalid_options` for a proxy URL that is none, or for more than one of the options.
 */
export function lazyDispatcher(options: ConnectionOptions, connectTimeoutMs: number): () => Promise<Dispatcher> {
  const { proxyUrl, proxyVariables, dispatcher } = options
  if (proxyUrl !== undefined) {
    if (dispatcher !== undefined) throw optionError('proxyUrl', 'expected none beside a dispatcher')
    checkProxy('proxyUrl', proxyUrl)
  }
  if (proxyVariables !== undefined) {
    const other = dispatcher !== undefined ? 'a dispatcher' : proxyUrl !== undefined ? 'proxyUrl' : undefined
    if (other !== undefined) throw optionError('proxyVariables', `expected none beside ${other}`)
    for (const name of ['httpProxy', 'httpsProxy'] as const) {
      const url = proxyVariables[name] ?? ''
      if (url !== '') checkProxy(`proxyVariables.${name}`, url)
    }
  }
  let made: Promise<Dispatcher> | undefined
  return () => {
    made ??= dispatcher === undefined ? makeDispatcher(options, connectTimeoutMs) : Promise.resolve(dispatcher)
    return made
  }
}

function checkProxy(option: string, proxyUrl: string): void {
  const protocol = URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:') throw optionError(option, 'expected an http or https URL')
}

async function makeDispatcher(options: ConnectionOptions, timeout: number): Promise<Dispatcher> {
  const { proxyUrl, proxyVariables } = options
  const { Agent, EnvHttpProxyAgent, ProxyAgent } = await import('undici')
  const connections = { connect: { timeout }, requestTls: { timeout }, proxyTls: { timeout }, keepAliveTimeout }
  if (proxyUrl !== undefined) return new ProxyAgent({ uri: proxyUrl, ...connections })
  if (proxyVariables === undefined) return new Agent({ connect: { timeout }, keepAliveTimeout })
  // empty texts, since for absent ones it would read the environment
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxyVariables
  return new EnvHttpProxyAgent({ ...connections, httpProxy, httpsProxy, noProxy })
}

/** Longer than most tool calls, so that the next step finds its connection open. */
const keepAliveTimeout = 30_000
