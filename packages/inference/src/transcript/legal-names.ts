import { digest, isLegalText } from './legal-ids.ts'
import type { ReportChange } from './transcript-change.ts'
import type { LegalText } from './transcript-rules.ts'

/** Gives every name of a called tool one that the target takes: the same for the same name, another for another. */
export class LegalNames {
  readonly #rule: LegalText
  /** The name that was given, by the one that it was given for, and the other way. */
  readonly #given = new Map<string, string>()
  readonly #owners = new Map<string, string>()

  constructor(rule: LegalText) {
    this.#rule = rule
  }

  take(name: string, blockIndex: number, report: ReportChange): string {
    if (isLegalText(name, this.#rule)) {
      this.#owners.set(name, name)
      return name
    }
    report('name_renamed', 'illegal_tool_name', blockIndex)
    const known = this.#given.get(name)
    if (known !== undefined) return known
    const made = this.#make(name)
    this.#given.set(name, made)
    this.#owners.set(made, name)
    return made
  }

  /** As close to the name as can be: a model reads it. */
  #make(name: string): string {
    const { maxLength } = this.#rule
    const close = name.replace(/[^\w-]/g, '_').slice(0, maxLength)
    for (const candidate of [close, `_${close}`]) {
      if (isLegalText(candidate, this.#rule) && !this.#owners.has(candidate)) return candidate
    }
    const suffix = digest(name, 8)
    const marked = `${close.slice(0, Math.max(0, maxLength - 9))}_${suffix}`
    return isLegalText(marked, this.#rule) ? marked : `tool${suffix}`.slice(0, maxLength)
  }
}
