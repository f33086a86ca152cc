import { escapeXml, unescapeXml } from './xml-text.ts'

/** The parts of a summary, in the order in which they are written. */
const parts = ['goal', 'constraints', 'decisions', 'state', 'open_items'] as const

/** The parts that must say something. */
const required: readonly SummaryPart[] = ['goal', 'state']

type SummaryPart = (typeof parts)[number]

/** What a model remembers of a conversation, part by part. */
export type SummaryDocument = { readonly [P in SummaryPart]: string }

/**
 * Reads the document that a model was asked for: `<summary>` with exactly its five parts, each once and in order, texts
 * without other markup, white space between the tags and around them.
 *
 * @returns nothing for anything else, also when goal or state is blank.
 */
export function parseSummary(text: string): SummaryDocument | undefined {
  const reader = new TagReader(text)
  const document: { [P in SummaryPart]?: string } = {}
  if (!reader.takeTag('<summary>')) return undefined
  for (const part of parts) {
    const content = reader.takeElement(part)
    if (content === undefined || (required.includes(part) && content.trim() === '')) return undefined
    document[part] = content.trim()
  }
  if (!reader.takeTag('</summary>') || !reader.isAtEnd) return undefined
  return Object.freeze(document as SummaryDocument) // proved: the loop set every part
}

/** Writes a document; whatever its texts say, they stay inside of their tags. */
export function writeSummary(document: SummaryDocument): string {
  const lines = parts.map((part) => `<${part}>${escapeXml(document[part])}</${part}>`)
  return ['<summary>', ...lines, '</summary>'].join('\n')
}

/** Reads a text from front to back, one tag after the other. */
class TagReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#skipSpace()
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** Takes exactly this tag and the space behind it. */
  takeTag(tag: string): boolean {
    if (!this.#text.startsWith(tag, this.#at)) return false
    this.#at += tag.length
    this.#skipSpace()
    return true
  }

  /** Takes an element that holds a text alone. */
  takeElement(name: string): string | undefined {
    const open = `<${name}>`
    if (!this.#text.startsWith(open, this.#at)) return undefined
    const start = this.#at + open.length
    const end = this.#text.indexOf('<', start)
    if (end < 0) return undefined
    this.#at = end
    return this.takeTag(`</${name}>`) ? unescapeXml(this.#text.slice(start, end)) : undefined
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) this.#at += 1
  }
}
