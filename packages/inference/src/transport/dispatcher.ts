import type { Dispatcher } from 'undici'
import { optionError } from '../failure/option-error.ts'

/** How connections are made: directly, through a proxy, or by a dispatcher that the caller owns and closes. */
export interface ConnectionOptions {
  /** An HTTP or HTTPS proxy; it may hold credentials. */
  readonly proxyUrl?: string | undefined
  readonly dispatcher?: Dispatcher | undefined
}

/**
 * Gives a function that makes the dispatcher when it is first asked for, and undici with it. Idle connections close
 * by themselves and do not keep the process alive.
 *
 * @throws InferenceError `invalid_options` for a proxy URL that is none, or both options at once.
 */
export function lazyDispatcher(
  { proxyUrl, dispatcher }: ConnectionOptions,
  connectTimeoutMs: number,
): () => Promise<Dispatcher> {
  if (proxyUrl !== undefined) {
    if (dispatcher !== undefined) throw optionError('proxyUrl', 'expected none beside a dispatcher')
    const protocol = URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : ''
    if (protocol !== 'http:' && protocol !== 'https:') throw optionError('proxyUrl', 'expected an http or https URL')
  }
  let made: Promise<Dispatcher> | undefined
  return () => {
    made ??= dispatcher === undefined ? makeDispatcher(proxyUrl, connectTimeoutMs) : Promise.resolve(dispatcher)
    return made
  }
}

async function makeDispatcher(proxyUrl: string | undefined, timeout: number): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici')
  if (proxyUrl === undefined) return new Agent({ connect: { timeout }, keepAliveTimeout })
  return new ProxyAgent({ uri: proxyUrl, requestTls: { timeout }, proxyTls: { timeout }, keepAliveTimeout })
}

/** Longer than most tool calls, so that the next step finds its connection open. */
const keepAliveTimeout = 30_000
