import type { CredentialSource } from './bedrock-credentials.ts'
import type { SignableRequest } from './wire-client.ts'

/** The name of the service in a signature. */
const service = 'bedrock'

/** Signs requests with AWS Signature Version 4; its libraries are loaded with the first request. */
export function bedrockSigner(
  region: string,
  credentials: CredentialSource,
): (request: SignableRequest, signal: AbortSignal) => Promise<Record<string, string>> {
  return async ({ url, headers, body }, signal) => {
    const [{ SignatureV4 }, { Sha256 }, identity] = await Promise.all([
      import('@smithy/signature-v4'),
      import('@aws-crypto/sha256-js'),
      credentials.get(signal),
    ])
    const { accessKeyId, secretAccessKey, sessionToken } = identity
    const signer = new SignatureV4({
      service,
      region,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      sha256: Sha256,
    })
    const { authorization: _, ...unsigned } = headers
    const signed = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...unsigned, host: url.host },
      body,
    })
    // the transport sets the host itself, to the same
    const { host: __, ...sent } = signed.headers
    return sent
  }
}
