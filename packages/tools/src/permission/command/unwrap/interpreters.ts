import { programName, type Runs, type Unwrap } from './runs.ts'

/** Programs that run code of a language, and the options after which the code stands. */
const languages: ReadonlyMap<RegExp, RegExp> = new Map([
  [/^(python|pypy)[\d.]*$/, /^-[A-Za-z]*c/],
  [/^(perl|ruby)[\d.]*$/, /^-[A-Za-z]*[eE]/],
  [/^(node|nodejs|bun|deno)$/, /^(-[A-Za-z]*[ep]|--eval|--print|eval)/],
  [/^php[\d.]*$/, /^-[rRBE]/],
  [/^(lua|luajit)[\d.]*$/, /^-e/],
  [/^(Rscript|R|julia|elixir|groovy|scala|osascript|tclsh|ghc|swift|crystal)$/, /^(-[eE]|--eval)/],
  [/^(pwsh|powershell)$/, /^-[cCeE]/],
])

/** Programs whose own commands can start others; all that is given to them is code. */
const scriptable = new Set([
  ...['vim', 'vi', 'nvim', 'ex', 'ed', 'emacs', 'gdb', 'lldb', 'sqlite3', 'psql', 'mysql', 'dc', 'bc', 'm4', 'expect'],
  ...['less', 'more', 'screen', 'tmux', 'nmap', 'crontab', 'mutt', 'ftp', 'telnet', 'socat', 'nc', 'ncat'],
])

const startsPrograms =
  /system|exec|spawn|popen|subprocess|child_process|shell|qx|`|\||\bsh\b|getline|\bBun\b|Deno|![\s\w/]/i

/** An interpreter with code in its arguments or its input. A file of code is a program like any other. */
export const unwrapInterpreter: Unwrap = (words, found): Runs | undefined => {
  const name = programName(words)
  if (name === undefined) return undefined
  const texts = [...words.slice(1).map((word) => word.text), ...found.inputs]
  const known = texts.flatMap((text) => text ?? [])
  const anything = found.piped || texts.length > known.length
  if (/^[gmn]?awk$/.test(name) || name === 'sed' || name === 'gsed') return unwrapFilter(name, known, anything)
  const code = known.filter((text) => startsPrograms.test(text))
  const doubt = 'an interpreter runs code'
  if (scriptable.has(name)) return { code, doubt }
  for (const [language, option] of languages) {
    if (!language.test(name)) continue
    const inline = known.some((text) => option.test(text))
    const fromInput = words.length === 1 || known.includes('-') || found.inputs.length > 0
    return inline || fromInput || texts.length > known.length ? { code, anything, doubt } : undefined
  }
  return undefined
}

// Programs of sed that print, delete or replace: the commands `e`, `w`, `r` and their flags are none of these.
const plainSed =
  /^(\d+|\$)?(,(\d+|\$))?[pdq=]$|^\/[^/\\]*\/[pd]$|^s([/|,#])(?:(?!\4)[^\\\n])*\4(?:(?!\4)[^\\\n])*\4[gpiI\d]*$/

/** A filter with a language of its own. It is plain while that cannot start a program or name a file. */
function unwrapFilter(name: string, texts: readonly string[], anything: boolean): Runs | undefined {
  const operands = name.endsWith('sed') ? texts.filter((text) => !/^-[nErsz]+$/.test(text)) : awkOperands(texts)
  const options = operands.some((text) => text.startsWith('-'))
  const program = operands[0] ?? ''
  const plain = name.endsWith('sed') ? plainSed.test(program) : !/system|getline|[|>@`]|close|fflush/.test(program)
  if (plain && program !== '' && !options) return undefined
  const code = texts.filter((text) => (name.endsWith('sed') ? /e/.test(text) : startsPrograms.test(text)))
  return { code, anything: anything && texts.length === 0, doubt: 'an interpreter runs code' }
}

/** What is left without the options that only say how to read lines; they may stand before their value. */
function awkOperands(texts: readonly string[]): string[] {
  let at = 0
  for (let text = texts[at]; text !== undefined && /^-(F|v$)/.test(text); text = texts[at]) {
    at += text === '-F' || text === '-v' ? 2 : 1
  }
  return texts.slice(at)
}
