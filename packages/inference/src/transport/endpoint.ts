import { optionError } from '../failure/option-error.ts'

/**
 * Takes a base URL: https, or http to this machine, or http anywhere when that was asked for; no user name or
 * password in it. A query is kept.
 *
 * @throws InferenceError `invalid_options`; the message never repeats the URL.
 */
export function parseBaseUrl(baseUrl: string, allowInsecureHttp: boolean): URL {
  if (!URL.canParse(baseUrl)) throw optionError('baseUrl', 'expected an absolute URL')
  const url = new URL(baseUrl)
  if (url.username !== '' || url.password !== '') {
    throw optionError('baseUrl', 'expected no user name or password; give apiKey or headers')
  }
  if (url.protocol === 'https:') return url
  if (url.protocol === 'http:' && (allowInsecureHttp || localHosts.has(url.hostname))) return url
  throw optionError('baseUrl', 'expected https, or http to localhost; allowInsecureHttp permits http elsewhere')
}

/** The URL of a path below the base; the queries of both are kept. */
export function endpointUrl(base: URL, path: string): URL {
  const [pathname = '', query = ''] = path.split('?', 2)
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${pathname}`
  url.search = [base.search.slice(1), query].filter((part) => part !== '').join('&')
  url.hash = ''
  return url
}

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
