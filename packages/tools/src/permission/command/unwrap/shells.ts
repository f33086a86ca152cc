import { knownText } from '../shell-word.ts'
import { programName, type Runs, type Unwrap } from './runs.ts'

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'rbash', 'fish', 'hush', 'yash', 'posh'])

/** A shell: the text of `-c`, what it gets as input, or a file. */
export const unwrapShell: Unwrap = (words, found): Runs | undefined => {
  const name = programName(words)
  if (name === undefined || !shells.has(name)) return undefined
  const scripts: string[] = [...found.inputs]
  let anything = found.piped
  const code = words.findIndex((word, index) => index > 0 && /^[-+][A-Za-z]*c/.test(word.text ?? ''))
  if (code > 0) {
    // Options may stand between `-c` and its text, so that each of the next words may be the text.
    for (const word of words.slice(code + 1)) {
      if (word.text === undefined) anything = true
      scripts.push(word.text ?? knownText(word))
      if (!(word.text ?? '').startsWith('-') && !(word.text ?? '').startsWith('+')) break
    }
  } else if (words.some((word) => word.text === undefined)) anything = true
  return { scripts, anything, doubt: 'a shell runs a text or a file' }
}

/** What runs its arguments in this very shell. */
export const unwrapEvaluation: Unwrap = (words, found): Runs | undefined => {
  const doubt = 'it runs a text that is put together'
  const rest = words.slice(1)
  const anything = rest.some((word) => word.text === undefined)
  switch (words[0]?.text) {
    case 'eval':
      return { scripts: [rest.map((word) => word.text ?? knownText(word)).join(' ')], anything, doubt }
    case 'trap':
      return { scripts: rest.flatMap((word) => word.text ?? []), anything, doubt }
    case '.':
    case 'source':
      return { scripts: found.inputs, anything: found.piped || anything, doubt: 'a shell runs a text or a file' }
    case 'fc':
      return { anything: true, doubt }
    case 'mapfile':
    case 'readarray':
    case 'bind':
    case 'complete':
    case 'compgen':
      return { scripts: rest.flatMap((word) => word.text ?? []), doubt }
    default:
      return undefined
  }
}
