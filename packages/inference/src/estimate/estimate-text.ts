/** Characters of ASCII text that make a token, and bytes of other text: together near enough for prose and code. */
const asciiPerToken = 4
const bytesPerToken = 3

/** Characters of JSON that make a token: its punctuation makes it denser than prose. */
const jsonPerToken = 3

/** Tokens of a text, not rounded. */
export function textTokens(text: string): number {
  const bytes = Buffer.byteLength(text)
  if (bytes === text.length) return bytes / asciiPerToken
  let ascii = 0
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 0x80) ascii += 1
  return ascii / asciiPerToken + (bytes - ascii) / bytesPerToken
}

/** Tokens of a value as JSON, not rounded. */
export function jsonTokens(value: unknown): number {
  return (JSON.stringify(value) ?? '').length / jsonPerToken
}
