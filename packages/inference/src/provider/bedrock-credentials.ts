import { InferenceError } from '../failure/errors.ts'
import { optionError } from '../failure/option-error.ts'
import type { Redact } from '../failure/provider-text.ts'

/** Keys of AWS: long-lived, or of a session with its token. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/**
 * Gives credentials, fresh ones when the last have run out. Asked for every request, so it should keep them. The signal is
 * that of the request.
 */
export type AwsCredentialProvider = (options: { readonly signal: AbortSignal }) => Promise<AwsCredentials>

/** How long a provider of credentials may take. */
const providerTimeoutMs = 30_000

/** How many texts are remembered as secret: a few sets of credentials, the last ones. */
const maxSecrets = 24

/** Holds the credentials of one client, and hides whatever it gave out. Nothing of it is ever printed. */
export class CredentialSource {
  readonly #provide: AwsCredentialProvider
  readonly #secrets = new Set<string>()

  /** @throws InferenceError `invalid_options` for credentials that cannot sign. */
  constructor(credentials: AwsCredentials | AwsCredentialProvider) {
    if (typeof credentials === 'function') {
      this.#provide = credentials
      return
    }
    const fault = faultOf(credentials)
    if (fault !== undefined) throw optionError(`credentials.${fault}`, 'expected visible characters without spaces')
    this.#remember(credentials)
    this.#provide = () => Promise.resolve(credentials)
  }

  /** @throws InferenceError `auth` when the provider has none, `timeout` when it takes too long, `aborted`. */
  async get(signal: AbortSignal): Promise<AwsCredentials> {
    const credentials = await withinTime(this.#ask(signal), signal)
    const fault = faultOf(credentials)
    if (fault !== undefined) throw new InferenceError('auth', `the provider of credentials gave no usable ${fault}`)
    this.#remember(credentials)
    return credentials
  }

  /** Makes a function that also hides every secret that was given out so far. */
  hiding(redact: Redact): Redact {
    return (text) => {
      let safe = text
      for (const secret of this.#secrets) safe = safe.replaceAll(secret, '[redacted]')
      return redact(safe)
    }
  }

  /** What the provider threw is not passed on: it may name hosts and files. */
  async #ask(signal: AbortSignal): Promise<AwsCredentials> {
    try {
      return await this.#provide({ signal })
    } catch (error) {
      if (error instanceof InferenceError) throw error
      throw new InferenceError('auth', 'the provider of credentials failed')
    }
  }

  #remember({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): void {
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) {
      if (secret === undefined) continue
      this.#secrets.delete(secret)
      this.#secrets.add(secret)
    }
    for (const secret of this.#secrets) {
      if (this.#secrets.size <= maxSecrets) break
      this.#secrets.delete(secret)
    }
  }
}

/** The first part that cannot be used; checked although typed, since providers are written by others. */
function faultOf(credentials: AwsCredentials): keyof AwsCredentials | undefined {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials ?? {}
  if (!isKey(accessKeyId)) return 'accessKeyId'
  if (!isKey(secretAccessKey)) return 'secretAccessKey'
  return sessionToken === undefined || isKey(sessionToken) ? undefined : 'sessionToken'
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/** A provider that does not look at the signal is left behind. */
async function withinTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const ended = new Promise<never>((_, reject) => {
    const abort = () => reject(new InferenceError('aborted', 'the request was aborted'))
    const timer = setTimeout(() => {
      reject(new InferenceError('timeout', `no credentials came within ${providerTimeoutMs} ms`))
    }, providerTimeoutMs)
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    stop()
  }
}
