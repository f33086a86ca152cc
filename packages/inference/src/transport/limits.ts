import { countOption } from '../failure/option-error.ts'

/** Bounds of time and size of one request. Every field has a default; none can be switched off. */
export interface TransportLimits {
  /** To open a connection. Default: 10 000. Not for a `dispatcher` that was given. */
  readonly connectTimeoutMs?: number | undefined
  /** From sending a streamed request to its response headers. Default: 60 000. */
  readonly firstByteTimeoutMs?: number | undefined
  /** Between two pieces of a response. Default: 120 000. */
  readonly idleTimeoutMs?: number | undefined
  /** For all of a whole response. Default: 300 000. */
  readonly invokeTimeoutMs?: number | undefined
  /** For all of a streamed response. Default: 1 800 000. */
  readonly streamTimeoutMs?: number | undefined
  /** Bytes of a whole response. Default: 16 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Bytes of a streamed response. Default: 64 MiB. */
  readonly maxStreamBytes?: number | undefined
}

/** The bounds with their defaults. */
export type ResolvedLimits = { readonly [K in keyof TransportLimits]-?: number }

/**
 * Fills in the defaults.
 *
 * @throws InferenceError `invalid_options` for a bound that is not a whole number above 0.
 */
export function resolveLimits(limits: TransportLimits): ResolvedLimits {
  return {
    connectTimeoutMs: countOption('connectTimeoutMs', limits.connectTimeoutMs, 10_000),
    firstByteTimeoutMs: countOption('firstByteTimeoutMs', limits.firstByteTimeoutMs, 60_000),
    idleTimeoutMs: countOption('idleTimeoutMs', limits.idleTimeoutMs, 120_000),
    invokeTimeoutMs: countOption('invokeTimeoutMs', limits.invokeTimeoutMs, 300_000),
    streamTimeoutMs: countOption('streamTimeoutMs', limits.streamTimeoutMs, 1_800_000),
    maxResponseBytes: countOption('maxResponseBytes', limits.maxResponseBytes, 16 * 1024 * 1024),
    maxStreamBytes: countOption('maxStreamBytes', limits.maxStreamBytes, 64 * 1024 * 1024),
  }
}
