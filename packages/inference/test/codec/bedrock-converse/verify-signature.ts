import { createHash, createHmac } from 'node:crypto'
import type { ReceivedRequest } from '../../support/provider-server.ts'

/** Says whether a request bears the signature that AWS would compute, written from its documentation. */
export function isSignedBy(request: ReceivedRequest, secretAccessKey: string): boolean {
  const { headers, path, body } = request
  const match =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    )
  if (match === null) return false
  const [, day = '', region = '', service = '', names = '', signature] = match
  const [pathname = '', query = ''] = path.split('?')
  const canonical = [
    'POST',
    // every service but S3 encodes each segment of the path once more
    pathname.split('/').map(encodeURIComponent).join('/'),
    query,
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sha256(body),
  ].join('\n')
  const time = String(headers['x-amz-date'])
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  )
  return createHmac('sha256', key).update(text).digest('hex') === signature
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
