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

/** Gives credentials, fresh ones when the last have run out. Asked for every request, so it should keep them. */
export type AwsCredentialProvider = () => Promise<AwsCredentials>

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

  /** @throws InferenceError `auth` when the provider has none, `timeout` when it takes too long. */
  async get(): Promise<AwsCredentials> {
    const credentials = await withinTime(this.#ask())
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
  async #ask(): Promise<AwsCredentials> {
    try {
      return await this.#provide()
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

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new InferenceError('timeout', `no credentials came within ${providerTimeoutMs} ms`))
    }, providerTimeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
