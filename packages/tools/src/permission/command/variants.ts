import type { SyntaxNode } from 'unbash'
import type { Shell } from './line-reading.ts'

/** A change of a text, which makes of it what another shell takes it for. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  /** `posix`: what a shell that knows less than bash sees. `bash`: what bash does with what this parser takes for a pattern or a list. */
  readonly as: 'posix' | 'bash'
}

/**
 * The changes at one node: what a POSIX shell makes of the words that only bash knows, what bash makes of an extended glob
 * where those are off, and braces with their words written out. The outcome is only looked at for denied commands.
 */
export function editsOf(node: SyntaxNode, text: string, shell: Shell): readonly Edit[] {
  switch (node.type) {
    case 'Word':
      return expandBraces(node, text)
    case 'ExtendedGlob':
      return [insert(node.pos + 1, ' ', 'bash')]
    default:
      return shell === 'bash' ? [] : posixEdits(node, text)
  }
}

function posixEdits(node: SyntaxNode, text: string): readonly Edit[] {
  switch (node.type) {
    case 'Redirect': {
      const at = text.indexOf('&>', node.pos)
      return node.operator.startsWith('&') && at >= 0 && at < node.end ? [insert(at + 1, ' ')] : []
    }
    case 'AnsiCQuoted':
      return node.text.includes('\\') ? [insert(node.pos + 1, 'x')] : []
    case 'TestCommand':
      return [insert(node.pos, "'"), insert(node.pos + 2, "'")]
    case 'ArithmeticCommand':
      return [insert(node.pos + 1, ' ')]
    case 'ProcessSubstitution':
      return [insert(node.pos, '\\'), insert(node.pos + 1, '\\')]
    case 'ArithmeticExpansion':
      return text.startsWith('$[', node.pos) ? [insert(node.pos + 1, 'x')] : []
    case 'Function':
      return text.startsWith('function', node.pos) ? [insert(node.pos, "'"), insert(node.pos + 8, "'")] : []
    default:
      return []
  }
}

function insert(at: number, text: string, as: Edit['as'] = 'posix'): Edit {
  return { start: at, end: at, text, as }
}

/**
 * The texts that these changes lead to: all of a shell's at once, and the first alone, since what follows it may then read
 * differently. The texts are read again, so that what they show anew is changed in turn.
 */
export function applyEdits(text: string, edits: readonly Edit[]): readonly string[] {
  const sorted = edits.toSorted((one, other) => one.start - other.start)
  const variants: string[] = []
  for (const as of ['posix', 'bash'] as const) {
    const own = sorted.filter((edit) => edit.as === as)
    const [first] = own
    if (first === undefined) continue
    // Some changes come in pairs, around one word.
    variants.push(
      apply(text, own),
      apply(
        text,
        own.filter((edit) => edit.start <= first.start + 8 && edit.as === first.as),
      ),
    )
  }
  return variants
}

function apply(text: string, edits: readonly Edit[]): string {
  let done = 0
  let result = ''
  for (const { start, end, text: added } of edits) {
    if (start < done) continue
    result += text.slice(done, start) + added
    done = end
  }
  return result + text.slice(done)
}

const maxChoices = 32
const maxWordLength = 4_096

/** Writes out the first brace expansion of a word. */
function expandBraces(node: Extract<SyntaxNode, { type: 'Word' }>, text: string): readonly Edit[] {
  const brace = node.parts?.find((part) => part.type === 'BraceExpansion')
  if (brace === undefined || node.end - node.pos > maxWordLength) return []
  const choices = splitBraces(text.slice(brace.pos + 1, brace.end - 1))
  if (choices.length < 2 || choices.length > maxChoices) return []
  const [before, after] = [text.slice(node.pos, brace.pos), text.slice(brace.end, node.end)]
  const words = choices.map((choice) => before + choice + after).join(' ')
  return [{ start: node.pos, end: node.end, text: words, as: 'bash' }]
}

/** Splits `a,b{c,d}` at the commas that stand outside of braces and quotes. */
function splitBraces(inner: string): string[] {
  const choices: string[] = ['']
  let depth = 0
  let quote = ''
  for (const char of inner) {
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === "'" || char === '"') quote = char
    else if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    else if (char === ',' && depth === 0) {
      choices.push('')
      continue
    }
    choices[choices.length - 1] += char
  }
  return choices
}
