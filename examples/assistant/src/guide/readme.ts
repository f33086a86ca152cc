import { baseName } from './language.ts'
import type { SourceLine } from './source-line.ts'

/** Picks the readme files among paths; plain ones and Markdown first. */
export function readmesAmong(paths: readonly string[]): readonly string[] {
  const isReadme = (path: string): boolean => /^readme(?:\.(?:md|markdown|rst|txt|adoc|org))?$/i.test(baseName(path))
  return paths.filter(isReadme)
}

/** The first paragraph that a person would read: no heading, badge, HTML, code, table or quote. */
export function firstParagraph(lines: readonly SourceLine[]): readonly SourceLine[] {
  return paragraphs(lines)[0] ?? []
}

/** The lines below the first heading that matches, blank ones left out, up to the next heading of its level. */
export function sectionOf(lines: readonly SourceLine[], heading: RegExp): readonly SourceLine[] {
  const start = lines.findIndex(({ text }) => levelOf(text) > 0 && heading.test(text) && !isApiHeading(text))
  const first = lines[start]
  if (first === undefined) return []
  const below = lines.slice(start + 1)
  let inCode = false
  const end = below.findIndex(({ text }) => {
    if (isFence(text)) inCode = !inCode
    return !inCode && levelOf(text) > 0 && levelOf(text) <= levelOf(first.text)
  })
  const section = end === -1 ? below : below.slice(0, end)
  return [first, ...section.filter(({ text }) => text.trim() !== '' && !isMarkup(text) && !isFence(text))]
}

function paragraphs(lines: readonly SourceLine[]): readonly (readonly SourceLine[])[] {
  const found: SourceLine[][] = []
  let current: SourceLine[] = []
  let skipping: 'code' | 'html' | undefined
  const close = (): void => {
    if (current.some(({ text }) => /\p{L}.*\p{L}/u.test(text))) found.push(current)
    current = []
  }
  for (const line of [...lines, { path: '', line: 0, text: '' }]) {
    const text = line.text.trim()
    if (isFence(text)) skipping = skipping === 'code' ? undefined : 'code'
    else if (skipping === 'code') continue
    else if (text === '') skipping = undefined
    else if (/^<[/!\w]/.test(text)) skipping = 'html'
    if (text === '' || skipping !== undefined || isFence(text) || isMarkup(text)) close()
    else if (isUnderline(text)) current = []
    else current.push(line)
  }
  return found
}

function levelOf(text: string): number {
  return /^(#{1,6})\s/.exec(text)?.[1]?.length ?? 0
}

/** A heading that is a name in code documents that name. */
function isApiHeading(text: string): boolean {
  return /^#+\s*[`[.]/.test(text)
}

function isFence(text: string): boolean {
  return /^\s*(?:```|~~~)/.test(text)
}

/** A line of `=` or `-` below a text makes it a heading. */
function isUnderline(text: string): boolean {
  return /^(?:={3,}|-{3,}|~{3,}|\*{3,})$/.test(text)
}

function isMarkup(text: string): boolean {
  const line = text.trim()
  if (/^(?:#{1,6}(?:\s|$)|[|>]|\.\.\s|<[/!\w]|:\w+:|\[[^\]]*\]:)/.test(line)) return true
  if (!/^!?\[/.test(line)) return false
  const bare = line.slice(0, 200).replace(/!?\[!?(?:\[[^\]]*\]\([^)]*\)|[^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '')
  return !/\p{L}{2}/u.test(bare)
}
