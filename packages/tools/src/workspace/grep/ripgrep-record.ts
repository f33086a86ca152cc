import { z } from 'zod'
import type { JsonRecord } from './json-record.ts'

/** Text, or base64 of bytes that are no UTF-8. */
const dataSchema = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })])

const lineSchema = z.object({
  path: dataSchema,
  lines: dataSchema,
  line_number: z.int(),
  absolute_offset: z.int(),
  submatches: z.array(z.object({ start: z.int() })),
})

const recordSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('match'), data: lineSchema }),
  z.object({ type: z.literal('context'), data: lineSchema }),
  z.object({ type: z.literal('begin') }),
  z.object({ type: z.literal('end') }),
])

/** What ripgrep tells of one line. */
export interface RipgrepLine {
  readonly type: 'match' | 'context'
  /** Undefined for a name that is no UTF-8. */
  readonly path: string | undefined
  readonly line: number
  /** Where the line starts in the decoded file, in bytes. */
  readonly offset: number
  /** Where the first match starts in the line, in bytes. */
  readonly matchStart: number
  /** The line with its end, or its head when `isCut`. */
  readonly bytes: Buffer
  readonly isCut: boolean
}

/** What one record of ripgrep says; undefined for those that say nothing of interest. */
export type RipgrepRecord = RipgrepLine | { readonly type: 'begin' | 'end' }

/** Reads a record. What is not understood is undefined. */
export function readRipgrepRecord({ text, isCut }: JsonRecord): RipgrepRecord | undefined {
  const parsed = recordSchema.safeParse(parseJson(isCut ? mend(text) : text))
  if (!parsed.success) return undefined
  const record = parsed.data
  if (record.type === 'begin' || record.type === 'end') return { type: record.type }
  const { data } = record
  return {
    type: record.type,
    path: 'text' in data.path ? data.path.text : undefined,
    line: data.line_number,
    offset: data.absolute_offset,
    matchStart: data.submatches[0]?.start ?? 0,
    bytes: 'text' in data.lines ? Buffer.from(data.lines.text) : Buffer.from(data.lines.bytes, 'base64'),
    isCut,
  }
}

const firstSubmatch = /"submatches":\[\{"match":\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\},"start":\d+,"end":\d+\}/

/** Ends a cut record behind its first match. A quote inside a string is escaped, so this finds no text of the file. */
function mend(text: string): string {
  const match = firstSubmatch.exec(text)
  return match === null ? text : `${text.slice(0, match.index + match[0].length)}]}}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
