import { classifyFile, classifyFiles, classifyLineRange } from './classify-file.ts'
import { classifyDefinition, classifyNamed, classifyUse } from './classify-name.ts'
import type { Question } from './question.ts'
import type { Reading } from './reading.ts'
import { type CodeName, readSubject, type Subject } from './subject.ts'
import { searchTerms } from './terms.ts'
import { factWords, greetingWords, overviewWords, recallQuestionWords, recallWorkWords } from './wording.ts'

/** A rule: the question as it understands it, or nothing when it does not. */
export type Rule = (reading: Reading) => Question | undefined

/** The longest question that is read; the rest says nothing to rules. */
const maxQuestion = 2_000

/** How many earlier questions are searched for what "it" stands for. */
const maxEarlier = 10

const rules: readonly Rule[] = [
  classifyGreeting,
  classifyRecall,
  classifyLineRange,
  classifyUse,
  classifyDefinition,
  classifyFact,
  classifyOverview,
  classifyFiles,
  classifyFile,
  classifyNamed,
]

/** Says what a question asks for. `earlier` are the questions before it, oldest first. */
export function classify(question: string, earlier: readonly string[] = []): Question {
  let earlierName: CodeName | undefined
  for (const before of earlier.slice(-maxEarlier)) {
    const asked = classifyAfter(before, earlierName)
    if (asked.kind === 'name') earlierName = asked.name
  }
  return classifyAfter(question, earlierName)
}

function classifyAfter(question: string, earlierName: CodeName | undefined): Question {
  const text = question.slice(0, maxQuestion).trim()
  const plain = text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[\s?!.,;:]+$/, '')
  const reading: Reading = { plain, subject: readSubject(text), earlierName }
  for (const rule of rules) {
    const found = rule(reading)
    if (found !== undefined) return found
  }
  return byTerms(reading.subject)
}

function classifyGreeting({ plain }: Reading): Question | undefined {
  return greetingWords.test(plain) ? { kind: 'greeting' } : undefined
}

function classifyRecall({ plain, subject }: Reading): Question | undefined {
  if (subject.names.length > 0 || subject.paths.length > 0) return undefined
  if (recallWorkWords.test(plain)) return { kind: 'recall', of: 'work' }
  return recallQuestionWords.test(plain) ? { kind: 'recall', of: 'questions' } : undefined
}

function classifyFact({ plain, subject: { names, paths } }: Reading): Question | undefined {
  if (names.length > 0 || paths.some((path) => !/^licen[cs]e$/i.test(path))) return undefined
  const fact = factWords.find(([, words]) => words.test(plain))?.[0]
  return fact === undefined ? undefined : { kind: 'fact', fact }
}

function classifyOverview({ plain, subject: { names, paths } }: Reading): Question | undefined {
  if (names.length > 0 || paths.length > 0 || /\b(?:layout|structure|tree|files)\b/.test(plain)) return undefined
  return overviewWords.test(plain) ? { kind: 'overview' } : undefined
}

/** Any other question is searched by its words; without any, the project as a whole is meant. */
function byTerms({ words, paths, phrases, names }: Subject): Question {
  const [phrase] = phrases
  if (phrase !== undefined) return { kind: 'terms', terms: [phrase.slice(0, 200)], phrase: true }
  const texts = [...words, ...paths, ...names.map(({ name }) => name)]
  const terms = searchTerms(texts.flatMap((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []))
  return terms.length === 0 ? { kind: 'overview' } : { kind: 'terms', terms, phrase: false }
}
