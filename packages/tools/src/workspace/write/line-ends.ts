import { byteOrderMark, type TextFacts } from './text-facts.ts'

/** Writes line feeds as the given text ends its lines. */
export function withLineEnds(text: string, lineEnds: 'lf' | 'crlf'): string {
  return lineEnds === 'crlf' ? text.replaceAll('\n', '\r\n') : text
}

/** New content for a file, in the form that the file has. */
export interface KeptForm {
  readonly bytes: Buffer
  /** What was kept, for the model: empty when nothing differs from what it wrote. */
  readonly kept: readonly string[]
}

/**
 * Gives content the byte order mark and the line ends of the file that it replaces. ReadFile shows neither, so a model
 * cannot know them. Content that holds a carriage return says itself how its lines end, and a file of mixed ends has no
 * form to keep.
 */
export function keepForm(content: string, replaced: Pick<TextFacts, 'hasMark' | 'lineEnds'> | undefined): KeptForm {
  const kept: string[] = []
  let text = content
  if (replaced?.lineEnds === 'crlf' && text.includes('\n') && !text.includes('\r')) {
    text = withLineEnds(text, 'crlf')
    kept.push('CRLF line ends')
  }
  const bytes = Buffer.from(text)
  if (replaced?.hasMark !== true || text.startsWith('\ufeff')) return { bytes, kept }
  return { bytes: Buffer.concat([byteOrderMark, bytes]), kept: [...kept, 'byte order mark'] }
}
