import { createGuardedClient, type GuardedClientOptions, type WebRequest, type WebResponse } from '@looprig/tools/web'
import type { LocalServer } from './local-server.ts'

/** A client that may reach a server of a test. */
export function clientFor(server: LocalServer, options: GuardedClientOptions = {}) {
  return createGuardedClient({ allowPrivateHosts: [server.host], ...options })
}

/** A GET of 64 KiB at most. */
export function get(url: string, more: Partial<WebRequest> = {}): WebRequest {
  return { url, method: 'GET', signal: new AbortController().signal, bodyLimit: () => 65_536, ...more }
}

export function bodyText({ body }: WebResponse): string {
  return Buffer.from(body).toString()
}

/** The code and the message of what a promise rejects with; they must be there. */
export async function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: String(error.code), message: error.message }
    throw error
  }
  throw new Error('it was not refused')
}
