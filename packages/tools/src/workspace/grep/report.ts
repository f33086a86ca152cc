import { type FileMatches, type FoundLine, maxMatches } from './search.ts'

/** How much a report may hold. */
export interface ReportLimits {
  readonly maxBytes: number
  readonly contextLines: number
}

/** Collects the lines of a result until it is full. */
export class GrepReport {
  readonly #limits: ReportLimits
  readonly #lines: string[] = []
  readonly #files: { path: string; matches: number }[] = []
  #bytes = 0
  #matches = 0
  #fullBecause: 'matches' | 'bytes' | undefined

  constructor(limits: ReportLimits) {
    this.#limits = limits
  }

  get matchCount(): number {
    return this.#matches
  }

  /** Files with the number of their matches shown, in order. */
  get files(): readonly { readonly path: string; readonly matches: number }[] {
    return this.#files
  }

  get isTruncated(): boolean {
    return this.#fullBecause !== undefined
  }

  /** The lines so far. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** Adds a file under the name that may be shown; false when the report is full. */
  add(path: string, { lines }: FileMatches): boolean {
    const file = { path, matches: 0 }
    let lastLine: number | undefined
    let waiting: FoundLine[] = []
    let lastMatch = Number.NEGATIVE_INFINITY
    for (const line of lines) {
      if (!line.isMatch && line.line > lastMatch + this.#limits.contextLines) {
        waiting.push(line) // it belongs to a match that may not be shown
        continue
      }
      const group = [...waiting, line]
      waiting = []
      if (line.isMatch && this.#matches === maxMatches) this.#fullBecause = 'matches'
      else if (!this.#write(path, group, lastLine)) this.#fullBecause = 'bytes'
      if (this.#fullBecause !== undefined) break
      lastLine = line.line
      if (!line.isMatch) continue
      if (file.matches === 0) this.#files.push(file)
      file.matches += 1
      this.#matches += 1
      lastMatch = line.line
    }
    return this.#fullBecause === undefined
  }

  /** What cut the report short, for the model. */
  notices(): string[] {
    if (this.#fullBecause === undefined) return []
    if (this.#fullBecause === 'matches') {
      return [`[more than ${maxMatches} matches; refine the pattern or name a smaller path]`]
    }
    return [`[more matches than fit into ${this.#limits.maxBytes} bytes; refine the pattern or name a smaller path]`]
  }

  #write(path: string, group: readonly FoundLine[], lastLine: number | undefined): boolean {
    const first = group[0]?.line ?? 0
    const isApart = this.#limits.contextLines > 0 && this.#lines.length > 0 && first !== (lastLine ?? -1) + 1
    const texts = group.map(({ line, text, isMatch }) => {
      const mark = isMatch ? ':' : '-'
      return `${path}${mark}${line}${mark}${text}`
    })
    if (isApart) texts.unshift('--')
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0)
    if (this.#bytes + bytes > this.#limits.maxBytes) return false
    this.#bytes += bytes
    this.#lines.push(...texts)
    return true
  }
}
