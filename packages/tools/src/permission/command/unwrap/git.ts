import type { ShellWord } from '../shell-word.ts'
import { isLongOption, longOptionValues, optionValues } from './operands.ts'
import { programName, type Runs, type Unwrap } from './runs.ts'

/** Global options that only say where or how; every other one may start a program or move what git reads. */
const plainGlobal = new Set(['-C', '--no-pager', '--no-optional-locks', '--literal-pathspecs', '--version', '--help'])
const takesValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--super-prefix'])

/** Commands of git that exist to run something else, or that change what later ones run. */
const running =
  /^(bisect|submodule|filter-branch|difftool|mergetool|config|daemon|send-email|instaweb|hook|web--browse|for-each-repo|maintenance|credential.*|remote-.*|.*-pack|shell|sh-.*)$/
/** Settings whose value git runs. */
const programSetting =
  /pager|editor|command|cmd|external|helper|textconv|driver|hookspath|fsmonitor|alias\.|gpg.*program|askpass/i
/** Options whose value git runs, and others that run a program or write a file. */
const runOptions = ['exec', 'upload-pack', 'receive-pack', 'open-files-in-pager', 'extcmd']
const otherOptions = ['ext-diff', 'textconv', 'output', 'output-directory', 'exec-path', 'config', 'template']

/** Short options of the same kind, where they mean it. */
const shortOptions: ReadonlyMap<string, RegExp> = new Map([
  ['rebase', / -x/],
  ['difftool', / -x/],
  ['grep', / -O/],
  ['archive', / -o/],
  ['format-patch', / -o/],
  ['clone', / -[uc]/],
])

/** git: its aliases, its options that name programs, its commands that run others. */
export const unwrapGit: Unwrap = (words): Runs | undefined => {
  if (programName(words) !== 'git') return undefined
  const { at, doubtful } = findCommand(words)
  const name = words[at]?.text
  const rest = words.slice(at + 1)
  const scripts: string[] = []
  const code: string[] = []
  const commands: (readonly ShellWord[])[] = []
  for (const setting of optionValues(words.slice(0, at), /^-c/)) {
    const [key = '', ...value] = setting.split('=')
    const text = value.join('=')
    const alias = /^alias\.(.+)$/i.exec(key)?.[1]
    if (alias === undefined) scripts.push(text)
    else if (alias === name && !builtIn.has(name)) {
      if (text.startsWith('!')) scripts.push(text.slice(1))
      else code.push(`git ${text}`)
    }
  }
  const texts = rest.flatMap((word) => word.text ?? [])
  if (name === 'bisect' && texts[0] === 'run') commands.push(rest.slice(1))
  if (name === 'submodule')
    scripts.push(
      texts
        .filter((text) => !text.startsWith('-'))
        .slice(1)
        .join(' '),
    )
  if (name === 'config' && texts.some((text) => programSetting.test(text))) {
    scripts.push(...texts.map((text) => text.replace(/^!/, '')))
  }
  if (name === 'filter-branch') scripts.push(...texts)
  scripts.push(...longOptionValues(rest, runOptions))
  if (name === 'rebase' || name === 'difftool') scripts.push(...optionValues(rest, /^-x/))
  if (name === 'grep') scripts.push(...optionValues(rest, /^-O/))
  for (const text of texts) if (text.startsWith('ext::')) scripts.push(text.slice(5).replaceAll('% ', ' '))
  const runs =
    doubtful ||
    name === undefined ||
    running.test(name) ||
    texts.some((text) => text.startsWith('ext::')) ||
    rest.some((word) => word.text !== '--text' && isLongOption(word, [...runOptions, ...otherOptions])) ||
    (shortOptions.get(name)?.test(` ${texts.join(' ')}`) ?? false)
  return { scripts, code, commands, ...(runs ? { doubt: 'an option of git can run a program or write a file' } : {}) }
}

/** Where the command of git stands, and whether an option before it is more than a place. */
function findCommand(words: readonly ShellWord[]): { readonly at: number; readonly doubtful: boolean } {
  let doubtful = false
  let at = 1
  for (; at < words.length; at += 1) {
    const text = words[at]?.text
    if (text === undefined) return { at, doubtful: true }
    if (!text.startsWith('-')) return { at, doubtful }
    if (!plainGlobal.has(text)) doubtful = true
    if (takesValue.has(text)) at += 1
  }
  return { at, doubtful }
}

/** Commands that no alias can replace; only the common ones, since a missing one only makes the answer stricter. */
const builtIn = new Set([
  ...['add', 'am', 'apply', 'archive', 'bisect', 'blame', 'branch', 'checkout', 'cherry-pick', 'clean', 'clone'],
  ...['commit', 'config', 'describe', 'diff', 'fetch', 'gc', 'grep', 'help', 'init', 'log', 'ls-files', 'merge', 'mv'],
  ...['notes', 'pull', 'push', 'rebase', 'reflog', 'remote', 'reset', 'restore', 'revert', 'rm', 'shortlog', 'show'],
  ...['stash', 'status', 'submodule', 'switch', 'tag', 'worktree'],
])
