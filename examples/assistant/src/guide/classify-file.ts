import { languageNames } from './language.ts'
import type { FileFilter, Question } from './question.ts'
import type { Reading } from './reading.ts'
import type { Subject } from './subject.ts'
import { isStopWord } from './terms.ts'
import {
  explainVerb,
  fileWords,
  isFileVocabulary,
  isNameVocabulary,
  listWords,
  showVerb,
  testWords,
} from './wording.ts'

/** Reads "read lines 10-20 of X". */
export function classifyLineRange({ plain, subject: { paths, words } }: Reading): Question | undefined {
  const match = /\blines? (\d{1,7})(?: ?(?:-|–|to|until|through|and|bis) ?(\d{1,7}))?\b/.exec(plain)
  const path = paths[0] ?? (/\b(?:of|in|from) \S+$/.test(plain) ? words.at(-1) : undefined)
  if (match === null || path === undefined) return undefined
  const from = Math.max(1, Number(match[1]))
  return { kind: 'file', path, outline: false, range: { from, to: Math.max(from, Number(match[2] ?? from)) } }
}

/** Reads "list files in X", "find *.py files", "how many test files". */
export function classifyFiles({ plain, subject }: Reading): Question | undefined {
  const [pattern] = subject.globs
  const [path] = subject.paths
  if (pattern !== undefined) return { kind: 'files', filter: { glob: pattern } }
  if (testWords.test(plain) && subject.names.length === 0) {
    return { kind: 'files', filter: { tests: true, ...folderOf(subject) } }
  }
  if (path !== undefined && /^where(?:'s| is| are)\b/.test(plain)) return { kind: 'files', filter: { name: path } }
  if (!fileWords.test(plain) || !listWords.test(plain)) return undefined
  const folder = folderOf(subject)
  if (path !== undefined && folder.folder === undefined) return undefined
  return { kind: 'files', filter: { ...filterOf(plain, subject), ...folder } }
}

/** Reads "show X" and "explain X", where X is a file. */
export function classifyFile({ plain, subject: { paths, words, names } }: Reading): Question | undefined {
  const isShown = showVerb.test(plain) || /\bcontents?\b/.test(plain)
  const isVerb = isShown || explainVerb.test(plain)
  const path = paths[0] ?? (isVerb && names.length === 0 ? onlyWord(words) : undefined)
  if (path === undefined) return undefined
  if (path.endsWith('/')) return { kind: 'files', filter: { folder: path.slice(0, -1) } }
  return { kind: 'file', path, outline: !isShown && !/^readme$/i.test(path) }
}

function filterOf(plain: string, { words, names, phrases }: Subject): FileFilter {
  const extensions = words.flatMap((word) => {
    const ofLanguage = languageNames.get(word.toLowerCase())
    return ofLanguage ?? (/^\.\w{1,8}$/.test(word) ? [word.slice(1)] : [])
  })
  if (extensions.length > 0) return { extensions }
  const folder = /\b(?:in|under|inside|of) (?:the )?(?:folder |directory )?([\w.@-]+)(?: folder| directory)?$/.exec(
    plain,
  )?.[1]
  if (folder !== undefined && !isFileVocabulary(folder)) {
    return { folder: words.find((word) => word.toLowerCase() === folder) ?? folder }
  }
  const own = words.find((word) => !isStopWord(word) && !isFileVocabulary(word))
  const name = names[0]?.name ?? phrases[0] ?? own
  const isExtension = name !== undefined && /^[a-z]{1,4}$/.test(name) && plain.includes(`${name} files`)
  if (isExtension) return { extensions: [name] }
  return name === undefined ? {} : { name }
}

/** A path without an extension, where files are asked for, is a folder. */
function folderOf({ paths }: Subject): { readonly folder?: string } {
  const folder = paths.find((path) => !/\.\w+$/.test(path))
  return folder === undefined ? {} : { folder: folder.replace(/\/$/, '') }
}

function onlyWord(words: readonly string[]): string | undefined {
  const own = words.filter((word) => !isStopWord(word) && !isNameVocabulary(word))
  return own.length === 1 && /^[\w.-]{1,100}$/.test(own[0] ?? '') ? own[0] : undefined
}
