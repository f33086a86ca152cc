/** Writes a text so that no markup can begin or end in it; half surrogates and control characters become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(unusable, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

/**
 * Reads the text between two tags. Entities and character references are the only markup that it may have.
 *
 * @returns nothing for a tag, another entity, or a character that XML does not have.
 */
export function unescapeXml(text: string): string | undefined {
  if (text.includes('<') || text.search(unusable) >= 0 || !text.isWellFormed()) return undefined
  let valid = true
  const read = text.replace(/&([^;&]{0,10};?)/g, (_, reference: string) => {
    const character = characterOf(reference)
    if (character === undefined) valid = false
    return character ?? ''
  })
  return valid ? read : undefined
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const named: ReadonlyMap<string, string> = new Map([
  ['amp;', '&'],
  ['lt;', '<'],
  ['gt;', '>'],
  ['quot;', '"'],
  ['apos;', "'"],
])

/** What XML 1.0 does not have, apart from half surrogates. */
const unusable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

function characterOf(reference: string): string | undefined {
  const character = named.get(reference)
  if (character !== undefined) return character
  const digits = /^#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));$/.exec(reference)
  if (digits === null) return undefined
  const code = digits[1] === undefined ? Number.parseInt(digits[2] ?? '', 16) : Number.parseInt(digits[1], 10)
  if (!(code > 0 && code <= 0x10ffff)) return undefined
  const text = String.fromCodePoint(code)
  return text.search(unusable) >= 0 || !text.isWellFormed() ? undefined : text
}
