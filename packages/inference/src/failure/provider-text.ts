import { headWithin } from '@looprig/core'

/** Makes text of a provider safe to show: see `createRedactor`. */
export type Redact = (text: string) => string

/** The most bytes of provider text in one error. */
const maxExcerptBytes = 500

/** Shorter ones are words, not secrets; to blank them would only spoil the text. */
const minSecretLength = 4

/**
 * Makes the function through which all provider text passes into errors: known secrets, what looks like a key or a
 * token, and URLs are replaced, control and direction characters become spaces, and 500 bytes are kept.
 *
 * @param secrets - the key and header values of the client; held in the closure, never printed.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets.filter((secret) => secret.length >= minSecretLength).flatMap(spellings))]
  known.sort((a, b) => b.length - a.length)
  return (text) => {
    let safe = text
    for (const secret of known) safe = safe.replaceAll(secret, '[redacted]')
    for (const [pattern, replacement] of patterns) safe = safe.replace(pattern, replacement)
    return headWithin(safe.toWellFormed().trim(), maxExcerptBytes)
  }
}

/** How a secret may come back: as it is, or as part of a JSON text or a URL. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 [redacted]'],
  [/\b(?:sk|pk|rk|key|gsk|xai|csk|fw|hf|tgp|pplx|nvapi|gh[opsu])[-_][\w*-]{8,}/g, '[redacted]'],
  [/\b(?:AIza|AKIA|ASIA|ABSK|ya29\.|eyJ)[\w*.+/=-]{8,}/g, '[redacted]'],
  [/\b[a-z][a-z\d+.-]{0,15}:\/\/[^\s"'<>)]+/gi, '[url]'],
  // Terminal escapes, line breaks and text direction marks could make an error message lie about itself.
  [/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' '],
]
