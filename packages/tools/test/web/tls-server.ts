import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecureVersion } from 'node:tls'
import { onTestFinished } from 'vitest'

/** Whether certificates can be made here: Node.js has no call for it. */
export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0

/** A certificate of `dev.example`, signed by itself. */
export function makeCertificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'looprig-tls-'))
  try {
    const names = ['-subj', '/CN=dev.example', '-addext', 'subjectAltName=DNS:dev.example']
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2']
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', '-x509', ...curve, ...names, ...files], { cwd: folder, stdio: 'ignore' })
    return { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(join(folder, 'cert.pem'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Answers `secure` over TLS, until the test ends. Gives the port. */
export async function serveTls(
  certificate: { readonly key: string; readonly cert: string },
  maxVersion: SecureVersion = 'TLSv1.3',
): Promise<number> {
  const ciphers = maxVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}
  const server = createServer({ ...certificate, ...ciphers, minVersion: 'TLSv1', maxVersion }, (_request, response) =>
    response.end('secure'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port // proved: it listens on a port
}
