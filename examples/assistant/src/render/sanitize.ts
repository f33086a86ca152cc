/**
 * Makes text of a model, tool or file harmless on a terminal: control characters become visible pictures, so that no
 * escape sequence begins, and characters that reorder a line become U+FFFD. Line ends and tabs stay. It keeps no
 * state, so a sequence that is cut between two pieces is caught as well.
 */
export function sanitizeText(text: string): string {
  return text.replaceAll('\r', '').replace(dangerous, picture).toWellFormed()
}

/** The same for one line of at most `maxCharacters`. */
export function sanitizeLine(text: string, maxCharacters = 300): string {
  const line = sanitizeText(text.replace(/[\s\u2028\u2029]+/g, ' ').trim())
  const characters = [...line.slice(0, (maxCharacters + 1) * 2)]
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** C0 without tab and line feed, DEL, C1, and the bidirectional embeddings, overrides and isolates. */
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
