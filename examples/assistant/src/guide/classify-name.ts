import type { Question } from './question.ts'
import type { Reading } from './reading.ts'
import type { CodeName, Subject } from './subject.ts'
import { isStopWord } from './terms.ts'
import { definitionWords, explanationWords, factWords, isNameVocabulary, useWords, whichWords } from './wording.ts'

/** Reads "who calls X", "which files import X", "where is X used". */
export function classifyUse(reading: Reading): Question | undefined {
  const { plain, subject } = reading
  const asksWhere = definitionWords.test(plain) && !/\b(?:used|called|imported|referenced|tested)\b/.test(plain)
  if (!whichWords.test(plain) || asksWhere) return undefined
  const about = useWords.find(([, words]) => words.test(plain))?.[0]
  const fact = subject.names.length > 0 ? undefined : factWords.find(([, words]) => words.test(plain))?.[0]
  if (about === undefined || fact === 'test' || fact === 'dependencies') return undefined
  const name = (about === 'import' ? moduleOf(subject) : undefined) ?? nameOf(reading)
  return name === undefined ? undefined : { kind: 'name', name, about, ...withinOf(reading, name) }
}

/** Reads "where is X defined". */
export function classifyDefinition(reading: Reading): Question | undefined {
  if (!definitionWords.test(reading.plain)) return undefined
  const name = nameOf(reading)
  return name === undefined ? undefined : { kind: 'name', name, about: 'definition', ...withinOf(reading, name) }
}

/** Reads any question with a name in it, and "how does it work" after one. */
export function classifyNamed(reading: Reading): Question | undefined {
  const { plain, subject } = reading
  const isFollowUp = explanationWords.test(plain) && ownWords(subject).length === 0
  if (subject.names.length === 0 && !isFollowUp) return undefined
  const name = nameOf(reading)
  return name === undefined ? undefined : { kind: 'name', name, about: 'explanation', ...withinOf(reading, name) }
}

/** What is imported may be a module, whose name is a path or quoted. */
function moduleOf({ paths, phrases }: Subject): CodeName | undefined {
  const name = (paths[0] ?? phrases[0])?.slice(0, 100)
  return name === undefined ? undefined : { name }
}

const named =
  /\b(?:function|class|method|type|interface|struct|enum|macro|constant|trait|variable) (?:called |named )?([a-z_$][\w$-]{0,99})(?![\w$-])/

/** The one name of a question: what looks like code, or follows "function", or is its only word of its own. */
function nameOf({ plain, subject, earlierName }: Reading): CodeName | undefined {
  const [name] = subject.names
  if (name !== undefined) return name
  const typed = named.exec(plain)?.[1]
  if (typed !== undefined && !isStopWord(typed) && !isNameVocabulary(typed)) {
    return { name: asWritten(subject, typed) }
  }
  const words = ownWords(subject)
  if (words.length === 1 && words[0] !== undefined && /^[\w$-]{1,100}$/.test(words[0])) return { name: words[0] }
  return words.length === 0 && /\b(?:it|its|that|this|they|them)\b/.test(plain) ? earlierName : undefined
}

function withinOf({ plain, subject }: Reading, { name }: CodeName): { within?: string } {
  const path = subject.paths.find((candidate) => candidate !== name)
  if (path !== undefined) return { within: path.replace(/\/$/, '') }
  const folder = /\b(?:in|under|inside|within) (?:the )?([\w.@-]+) (?:folder|directory)$/.exec(plain)?.[1]
  return folder === undefined ? {} : { within: asWritten(subject, folder) }
}

function ownWords({ words }: Subject): readonly string[] {
  return words.filter((word) => !isStopWord(word) && !isNameVocabulary(word))
}

function asWritten({ words }: Subject, lower: string): string {
  return words.find((word) => word.toLowerCase() === lower) ?? lower
}
