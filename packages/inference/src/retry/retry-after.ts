/** Reads one header of a response. */
export type ReadHeader = (name: string) => string | undefined

/**
 * Reads how long a server asks to wait: `retry-after-ms`, or `retry-after` in whole seconds or as an HTTP date, which
 * counts from `now`. A value that is none of these is not there.
 */
export function readRetryAfterMs(header: ReadHeader, now: number): number | undefined {
  const milliseconds = header('retry-after-ms')?.trim()
  if (milliseconds !== undefined && /^\d{1,12}(?:\.\d{1,6})?$/.test(milliseconds))
    return Math.ceil(Number(milliseconds))
  const value = header('retry-after')?.trim()
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  // Date.parse alone takes too much: it reads "-1" as a year.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Reads whether a server says itself that the request may be sent again. */
export function readShouldRetry(header: ReadHeader): boolean | undefined {
  const value = header('x-should-retry')?.trim().toLowerCase()
  return value === 'true' ? true : value === 'false' ? false : undefined
}
