import type { Runs, Unwrap } from './runs.ts'

/** Builtins that change what later commands of the line do or are. */
const changing = new Set([
  ...[
    'export',
    'unset',
    'declare',
    'typeset',
    'local',
    'readonly',
    'alias',
    'unalias',
    'set',
    'shopt',
    'enable',
    'hash',
  ],
  ...['read', 'readarray', 'mapfile', 'let', 'getopts', 'pushd', 'popd', 'ulimit', 'umask', 'suspend', 'logout'],
  ...['history', 'disown', 'bind', 'complete', 'compgen', 'compopt', 'wait', 'shift', 'dirs'],
])

/** Builtins that read the subscripts in their arguments as arithmetic, substitutions included. */
const evaluating = new Set(['read', 'let', 'test', '[', 'printf', 'unset', 'declare', 'typeset', 'local', 'export'])
const evaluatingMore = new Set(['readonly', 'mapfile', 'readarray', 'getopts', 'wait', '[['])

/** Builtins whose effect goes beyond their own run. */
export const unwrapBuiltin: Unwrap = (words): Runs | undefined => {
  const name = words[0]?.text
  if (name === undefined) return undefined
  const texts = words.slice(1).flatMap((word) => word.text ?? [])
  const scripts: string[] = []
  if (evaluating.has(name) || evaluatingMore.has(name)) {
    for (const text of texts) if (/\$\(|`|\$\{/.test(text)) scripts.push(`: "${text.replaceAll('"', '')}"`)
  }
  if (changing.has(name)) return { scripts, doubt: 'it changes the state that what follows inherits' }
  if (name === 'printf' && texts.some((text) => text.startsWith('-v'))) {
    return { scripts, doubt: 'it changes the state that what follows inherits' }
  }
  if ((name === 'test' || name === '[') && texts.some((text) => /^-(v|R|eq|ne|lt|le|gt|ge)$/.test(text))) {
    const plain = texts.every((text) => !/[[$`]/.test(text) || text === ']')
    if (!plain || texts.includes('-v')) return { scripts, doubt: 'a test evaluates its text' }
  }
  if (name.startsWith('-') || name === '') return { scripts, doubt: 'its name is odd' }
  return scripts.length === 0 ? undefined : { scripts }
}
