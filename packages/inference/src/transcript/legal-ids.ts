import { createHash } from 'node:crypto'
import { unsupported } from '../failure/unsupported.ts'
import type { ReportChange } from './transcript-change.ts'
import type { LegalText } from './transcript-rules.ts'

/** How long an id is made where the target has room. */
const usualLength = 24
/** With nine letters and more, two tries that fail are a wonder. */
const maxTries = 1_000

/** Gives every call of a history an id that the target takes and no earlier call has. Equal histories get equal ids. */
export class LegalIds {
  readonly #rule: LegalText
  readonly #taken = new Set<string>()
  /** How often each id was asked for, so that a thousand equal ids do not cost a million looks. */
  readonly #asked = new Map<string, number>()

  constructor(rule: LegalText) {
    this.#rule = rule
  }

  take(id: string, blockIndex: number, report: ReportChange): string {
    const isLegal = isLegalText(id, this.#rule)
    if (isLegal && !this.#taken.has(id)) {
      this.#taken.add(id)
      return id
    }
    report('id_renamed', isLegal ? 'duplicate_tool_id' : 'illegal_tool_id', blockIndex)
    const length = Math.min(usualLength, this.#rule.maxLength)
    const asked = this.#asked.get(id) ?? 0
    for (let count = asked + 1; count <= asked + maxTries; count += 1) {
      const made = digest(`${count}:${id}`, length)
      if (this.#taken.has(made)) continue
      this.#asked.set(id, count)
      this.#taken.add(made)
      return made
    }
    throw unsupported('toolIds.maxLength', 'ids of this length do not suffice for the calls of the history')
  }
}

/** Says whether a target takes a text. */
export function isLegalText(text: string, { pattern, maxLength }: LegalText): boolean {
  // `search` and not `test`, which remembers where it was when the pattern is global
  return text.length <= maxLength && text.search(pattern) >= 0
}

/** Letters and digits that stand for a text. */
export function digest(text: string, length: number): string {
  const hash = createHash('sha256').update(text).digest()
  let made = ''
  for (const byte of hash.subarray(0, length)) made += alphabet[byte % alphabet.length] ?? ''
  return made
}

/** 32 of them, so that every byte stands for one as often as for another. */
const alphabet = 'abcdefghijkmnopqrstuvwxyz2345678'
