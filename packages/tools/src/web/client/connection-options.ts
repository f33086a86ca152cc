import type { WholeLimits } from './limits.ts'

/** A proxy that every connection goes through. */
export interface ProxyRoute {
  readonly origin: string
  /** The header that tells who we are, where the proxy wants to know. */
  readonly authorization: string | undefined
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly limits: WholeLimits
  /** Certificates that are trusted instead of the system's own, in PEM. */
  readonly ca: readonly string[] | undefined
  readonly proxy: ProxyRoute | undefined
  /** Destroys the connection in whatever state it is. */
  readonly signal: AbortSignal
}
