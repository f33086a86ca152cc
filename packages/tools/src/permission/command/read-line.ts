import { forEachChild, type ParsedScript, parse, type Redirect, type SyntaxNode, type Word } from 'unbash'
import type { FoundCommand, FoundTarget, LineReading, Shell } from './line-reading.ts'
import { literalWord, readWord, type ShellWord } from './shell-word.ts'
import { applyEdits, type Edit, editsOf } from './variants.ts'

/** What the walk knows of where it is. */
interface Place {
  /** The text that positions count in. */
  readonly source: string
  /** The command reads what another one prints. */
  readonly piped: boolean
  /** A script inside of the line: its commands run, but what they do to the shell is not followed. */
  readonly nested: boolean
}

const maxNodes = 50_000
const maxInner = 40_000
const maxOpened = 300
const startsScript = /\$\(|`|\$\{/

/**
 * Reads a text with the parser and walks over everything in it that could run. The parser recovers from errors, so what
 * it says of a broken text is only good for finding denied commands. Every node that is not of a known kind is a doubt.
 */
export function readLine(text: string, shell: Shell): LineReading {
  const commands: FoundCommand[] = []
  const targets: FoundTarget[] = []
  const doubts: string[] = []
  const aliases: { name: string; value: string; start: number; line: number }[] = []
  const lines = new LineCounter(text)
  const edits: Edit[] = []
  const inner: string[] = []
  const texts: string[] = []
  let brokenAt: number | undefined
  let moved = false
  let nodes = 0
  let cut = false
  let innerLength = 0

  const doubt = (reason: string): void => {
    if (!doubts.includes(reason)) doubts.push(reason)
  }
  const broken = (at: number): void => {
    brokenAt = Math.min(brokenAt ?? at, at)
    doubt('it cannot be read: the syntax is not known')
  }

  function addInner(script: string): void {
    innerLength += script.length
    if (innerLength > maxInner) cut = true
    else inner.push(script)
  }

  function script(node: ParsedScript, place: Place): void {
    for (const error of node.errors ?? []) broken(place.nested ? 0 : error.pos)
    for (const command of node.commands) visit(command, place)
  }

  function children(node: SyntaxNode, place: Place): void {
    forEachChild(node, (child) => visit(child, place))
  }

  function visit(node: SyntaxNode, place: Place): void {
    nodes += 1
    if (nodes > maxNodes) {
      cut = true
      return
    }
    if (place.source === text) edits.push(...editsOf(node, text, shell))
    const reason = doubtOf(node, shell)
    if (reason !== undefined) doubt(reason)
    switch (node.type) {
      case 'Script':
        if (node.source !== undefined) addInner(node.source)
        script(node, { source: node.source ?? place.source, piped: false, nested: true })
        break
      case 'Command':
        command(node, place)
        break
      case 'Pipeline':
        for (const prefix of node.prefixes) visit(prefix, place)
        for (const [index, each] of node.commands.entries()) visit(each, { ...place, piped: place.piped || index > 0 })
        break
      case 'Word':
        word(node)
        children(node, place)
        break
      case 'Redirect':
        redirect(node)
        children(node, place)
        break
      case 'HereDoc':
        // A shell takes what there is up to the end, and runs the command.
        if (node.closing === undefined) doubt('a here-document does not end')
        texts.push(node.body.text)
        // What stands in it is read as if in double quotes, also by a shell that sees quotes where the parser does.
        if (node.delimiter?.quoted !== true && startsScript.test(node.body.text)) {
          addInner(`: "${node.body.text.replaceAll('"', '')}"`)
        }
        children(node, place)
        break
      case 'CommandExpansion':
        // Shells do not agree on whether \" in backquotes is an escape in a here-document.
        if (node.text.startsWith('`') && node.text.includes('\\"')) {
          addInner(node.text.slice(1, -1).replace(/\\(["`$\\])/g, '$1'))
        }
        children(node, place)
        break
      case 'ArithmeticExpansion':
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
        // Arithmetic is read as if it stood in double quotes, whatever quotes are in it.
        if (startsScript.test(place.source.slice(node.pos, node.end))) {
          addInner(`: "${place.source.slice(node.pos + 2, node.end).replaceAll('"', '')}"`)
        }
        children(node, place)
        break
      case 'ArithmeticWord':
        texts.push(node.value)
        children(node, place)
        break
      default:
        children(node, place)
    }
  }

  function command(node: Extract<SyntaxNode, { type: 'Command' }>, place: Place): void {
    const words: ShellWord[] = node.name === undefined ? [] : [readWord(node.name)]
    const name = words[0]?.text
    for (const argument of node.args) {
      if (argument.type === 'Word') words.push(readWord(argument))
      else words.push(...assigned(argument, name))
    }
    if (words.length > 0) {
      const inputs = node.redirects.flatMap((each) => {
        if (each.type === 'HereDoc') return [each.body.text]
        return each.type === 'HereString' && each.target !== undefined ? [each.target.value] : []
      })
      const assigns = node.prefix.some((each) => each.type === 'Assignment')
      const written = place.source.slice(node.pos, node.end)
      commands.push({
        words,
        text: written,
        inputs,
        piped: place.piped,
        assigns,
        start: node.pos,
        line: lines.before(node.pos),
      })
    }
    children(node, place)
    if (name === 'cd' || name === 'pushd' || name === 'popd') moved = true
  }

  /** An argument such as `X=1` of `export` or `alias`. */
  function assigned(node: Extract<SyntaxNode, { type: 'Assignment' }>, name: string | undefined): ShellWord[] {
    if (node.value.type !== 'Word') return [literalWord(node.text)]
    const value = readWord(node.value)
    if (name === 'alias' && value.text !== undefined) {
      aliases.push({ name: node.name, value: value.text, start: node.pos, line: lines.before(node.pos) })
    }
    const head: ShellWord['pieces'][number] = { kind: 'text', text: `${node.name}=` }
    const known = value.text === undefined ? undefined : `${node.name}=${value.text}`
    return [{ pieces: [head, ...value.pieces], text: known, bare: value.bare }]
  }

  function word(node: Word): void {
    const read = readWord(node)
    texts.push(node.value)
    if (read.text === undefined) doubt('a part of it is decided when it runs')
    else if (node.parts === undefined && looksAlive(node.text)) doubt('a part of it is decided when it runs')
    if (node.parts === undefined || node.parts.some((part) => part.type === 'Literal')) {
      if (strangeCharacter.test(node.text)) doubt('it has a character that is invisible or looks like another one')
    }
  }

  function redirect(node: Redirect): void {
    if (node.target === undefined) {
      broken(node.pos)
      return
    }
    const target = readWord(node.target)
    const duplicate = node.operator === '>&' || node.operator === '<&'
    if (duplicate && target.text !== undefined && /^(\d{1,3}-?|-)$/.test(target.text)) return
    const access = node.operator === '<' || node.operator === '<&' ? 'read' : 'write'
    targets.push({ access, word: target, moved })
  }

  try {
    if (opensTooMuch(text)) cut = true
    else script(parse(text), { source: text, piped: false, nested: false })
  } catch {
    // The parser is not ours: whatever it throws, for example at a deep nesting, the text is not read.
    cut = true
  }
  if (cut) broken(0)
  return { commands, targets, doubts, brokenAt, cut, aliases, variants: [...applyEdits(text, edits), ...inner], texts }
}

/** The parser stops at a depth of 256, and takes long to get there. */
function opensTooMuch(text: string): boolean {
  let opened = 0
  for (const _ of text.matchAll(/[$(]\(|`|\$\{/g)) {
    opened += 1
    if (opened > maxOpened) return true
  }
  return false
}

/** What the parser took as plain although a shell could take it for more. */
function looksAlive(text: string): boolean {
  // bash replaces a tilde in what only looks like an assignment too.
  if (/^[A-Za-z_]\w*=(.*:)?~([/:]|$)/.test(text)) return true
  return /(?<!\\)(?:\\\\)*(?:\$[\w@*#?$!{([-]|`|[*?]|\[[^\]]+\]|\{[^}]*(?:,|\.\.)[^}]*\})/.test(text.replace(/^~/, ''))
}

// Spaces that are none for a shell, what joins or turns text without being seen, and the full-width forms of ASCII.
const strangeCharacter =
  /[\u{34f}\u{80}-\u{a0}\u{ad}\u{115f}\u{1160}\u{1680}\u{180e}\u{2000}-\u{200f}\u{2028}-\u{202f}\u{205f}-\u{206f}\u{3000}\u{3164}\u{feff}\u{ffa0}\u{ff01}-\u{ff5e}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/u

/** Why a node cannot be covered by rules, whatever is in it. */
function doubtOf(node: SyntaxNode, shell: Shell): string | undefined {
  switch (node.type) {
    case 'Script':
    case 'Statement':
    case 'CompoundList':
    case 'AndOr':
    case 'Command':
    case 'Negation':
    case 'Subshell':
    case 'BraceGroup':
    case 'Redirected':
    case 'If':
    case 'Elif':
    case 'While':
    case 'Case':
    case 'Word':
    case 'Literal':
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'HereDocDelimiter':
    case 'HereDocBody':
    case 'FileDescriptor':
      return undefined
    case 'Pipeline':
      return node.operators.includes('|&') ? differs(shell) : undefined
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&' ? differs(shell) : undefined
    case 'AnsiCQuoted':
      return node.text.includes('\\') ? differs(shell) : undefined
    case 'Time':
    case 'HereString':
      return differs(shell)
    case 'HereDoc':
      return undefined
    case 'Redirect':
      if (node.operator === '<>') return 'a redirection opens a file for reading and writing'
      return node.operator.startsWith('&') ? differs(shell) : undefined
    case 'Assignment':
      return 'it sets a variable that what follows inherits'
    case 'For':
    case 'Select':
      return 'it sets a variable that what follows inherits'
    case 'Function':
      return 'it defines a function that what follows could run'
    case 'FileDescriptorVariable':
      return 'it sets a variable that what follows inherits'
    case 'TestCommand':
      return differs(shell)
    case 'TestUnary':
    case 'TestBinary':
      return /^-(v|eq|ne|lt|le|gt|ge)$/.test(node.operator) ? 'a test evaluates its text' : undefined
    case 'TestLogical':
    case 'TestNot':
    case 'TestGroup':
      return undefined
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return 'a part of it is decided when it runs'
    default:
      return 'a part of it is decided when it runs'
  }
}

function differs(shell: Shell): string | undefined {
  return shell === 'bash' ? undefined : 'shells read a part of it differently'
}

/** Counts lines before a place; places mostly come in order. */
class LineCounter {
  readonly #text: string
  #at = 0
  #lines = 0

  constructor(text: string) {
    this.#text = text
  }

  before(place: number): number {
    if (place < this.#at) {
      this.#at = 0
      this.#lines = 0
    }
    for (
      let end = this.#text.indexOf('\n', this.#at);
      end >= 0 && end < place;
      end = this.#text.indexOf('\n', end + 1)
    ) {
      this.#lines += 1
      this.#at = end + 1
    }
    return this.#lines
  }
}
