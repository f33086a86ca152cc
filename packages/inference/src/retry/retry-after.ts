/** Reads one header of a response. */
export type ReadHeader = (name: string) => string | undefined

/** The longest wait that is told apart: a hundred years. */
const longestMs = 100 * 366 * 86_400_000

/**
 * Reads how long a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date of any of the
 * three forms, which counts from `now`. A value that is none of these is not there.
 */
export function readRetryAfterMs(header: ReadHeader, now: number): number | undefined {
  const milliseconds = readCount(header('retry-after-ms'), 1)
  if (milliseconds !== undefined) return milliseconds
  const value = header('retry-after')
  return readCount(value, 1000) ?? readDate(value, now)
}

/** Reads whether a server says itself that the request may be sent again. */
export function readShouldRetry(header: ReadHeader): boolean | undefined {
  const value = header('x-should-retry')?.trim().toLowerCase()
  return value === 'true' ? true : value === 'false' ? false : undefined
}

/** A number of any length, with a fraction or not: one too long to count is still a wait that nobody will sit out. */
function readCount(text: string | undefined, unitMs: number): number | undefined {
  const value = text?.trim() ?? ''
  if (!/^\d{1,400}(?:\.\d{1,400})?$/.test(value)) return undefined
  return Math.min(longestMs, Math.ceil(Number(value) * unitMs))
}

function readDate(text: string | undefined, now: number): number | undefined {
  const value = text?.trim() ?? ''
  // Date.parse alone takes too much: it reads "-1" as a year
  if (!dateForms.some((form) => form.test(value))) return undefined
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.min(longestMs, Math.max(0, at - now))
}

const dateForms: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]
