import { withLineEnds } from './line-ends.ts'

/** A larger outcome is refused, in characters. */
const maxOutcomeLength = 32 * 1_024 * 1_024

/** What to replace. Both texts are literal. */
export interface TextEdit {
  readonly old: string
  readonly new: string
  readonly replaceAll: boolean
}

/** What an edit comes to; `count` is how often the old text is there, without overlaps. */
export type EditOutcome =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number }
  | { readonly kind: 'no_match' | 'no_change' | 'too_large' }
  | { readonly kind: 'ambiguous'; readonly count: number }

/**
 * Replaces text by text, in one pass. A model sees line feeds only: where the file ends its lines with CRLF, so do both
 * texts, unless they hold a carriage return themselves. In a file of mixed ends each place is matched with its own.
 */
export function replaceText(text: string, edit: TextEdit): EditOutcome {
  const places = findPlaces(text, variantsOf(text, edit))
  if (places.length === 0) return { kind: 'no_match' }
  if (places.length > 1 && !edit.replaceAll) return { kind: 'ambiguous', count: places.length }
  const growth = places.reduce((sum, { variant }) => sum + variant.new.length - variant.old.length, 0)
  if (text.length + growth > maxOutcomeLength) return { kind: 'too_large' }
  const parts: string[] = []
  let from = 0
  for (const { at, variant } of places) {
    parts.push(text.slice(from, at), variant.new)
    from = at + variant.old.length
  }
  const outcome = parts.join('') + text.slice(from)
  return outcome === text ? { kind: 'no_change' } : { kind: 'replaced', text: outcome, count: places.length }
}

type Variant = Pick<TextEdit, 'old' | 'new'>

/** How the old text may look in the file, and what then stands in its place. */
function variantsOf(text: string, edit: TextEdit): readonly Variant[] {
  if (edit.old.includes('\r')) return [edit]
  const feeds = countOf(text, '\n')
  const pairs = countOf(text, '\r\n')
  const asLf = { old: edit.old, new: edit.new }
  const asCrlf = {
    old: withLineEnds(edit.old, 'crlf'),
    new: edit.new.includes('\r') ? edit.new : withLineEnds(edit.new, 'crlf'),
  }
  if (pairs === 0) return [asLf]
  if (pairs === feeds) return [asCrlf]
  if (edit.old.includes('\n')) return [asLf, asCrlf]
  return [pairs * 2 > feeds ? asCrlf : asLf]
}

interface Place {
  readonly at: number
  readonly variant: Variant
}

function findPlaces(text: string, variants: readonly Variant[]): Place[] {
  const places: Place[] = []
  const next = variants.map((variant) => ({ variant, at: text.indexOf(variant.old) }))
  for (let from = 0; ; ) {
    let first: Place | undefined
    for (const candidate of next) {
      if (candidate.at !== -1 && candidate.at < from) candidate.at = text.indexOf(candidate.variant.old, from)
      if (candidate.at !== -1 && (first === undefined || candidate.at < first.at)) first = { ...candidate }
    }
    if (first === undefined) return places
    places.push(first)
    from = first.at + first.variant.old.length
  }
}

function countOf(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1
  return count
}
