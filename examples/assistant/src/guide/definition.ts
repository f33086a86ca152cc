import { type DefinitionForm, definitionForms, definitionSearches, type Standing } from './definition-forms.ts'
import { languagesOf } from './language.ts'
import type { SourceLine } from './source-line.ts'
import { escapePattern } from './tool-call.ts'

/** A judge of lines: how a line stands to a name, or nothing when it merely uses it. */
export type StandingJudge = (line: SourceLine) => Standing | undefined

// a form would take these for the type of the name that they stand before
const usedAfter =
  /(?:^|[^\w$])(?:return|new|await|throw|yield|else|case|goto|delete|typeof|in|of|not|and|or|if|elif|while|assert|raise|from|import)$/

/** A search for the lines that may define a name, as a pattern of RE2; two, because `shape` finds many uses, too. */
export function definitionSearch(name: string, by: keyof typeof definitionSearches): string {
  return fill(definitionSearches[by], escapePattern(name))
}

/** A search for the lines that have a name as a whole word, as a pattern of RE2; shells and Perl write `$NAME`. */
export function wordSearch(name: string): string {
  return fill(String.raw`(?:^|\W)NAME(?:[^\w$]|$)`, escapePattern(name))
}

/** A judge of lines: whether a line has a name as a whole word of its language. In scripts `$NAME` is another name. */
export function hasName(name: string): (line: SourceLine) => boolean {
  const expression = exactWord(name)
  return ({ path, text }) => !languagesOf(path).includes('script') || expression.test(text)
}

/** Makes the judge of one name. */
export function standingOf(name: string): StandingJudge {
  const judge = judgeWith(definitionForms, escapePattern(name))
  const firstWord = exactWord(name)
  return (line) => {
    const before = line.text.slice(0, firstWord.exec(line.text)?.index ?? 0)
    return usedAfter.test(before) || isImport(line.text) ? undefined : judge(line)
  }
}

/** Whether a line defines something at the outermost level of its file. */
export function definesAnything(line: SourceLine): boolean {
  return !/^\s/.test(line.text) && judgeAny(line) !== undefined
}

const judgeAny = judgeWith(
  definitionForms.filter(({ standing }) => standing !== 'possible'),
  '[A-Za-z_$][\\w$]*',
)

/** Whether a line takes a name from elsewhere. */
export function isImport(text: string): boolean {
  return /^\s*(?:import|from|export (?:type )?[{*]|use|pub use|using|#\s*include|require)\b|=\s*(?:await\s+)?(?:require|import)\s*\(/.test(
    text,
  )
}

/** Whether a line is nothing but a comment. */
export function isComment(text: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*(?!\w)|--\s|;;|#(?!\s*define\b)(?:[\s!#]|$)|"""|''')/.test(text)
}

function judgeWith(forms: readonly DefinitionForm[], namePattern: string): StandingJudge {
  const judges = forms.map((form) => ({ ...form, expression: new RegExp(fill(form.pattern, namePattern)) }))
  return (line) => {
    const languages = languagesOf(line.path)
    if (languages.length === 0 || isComment(line.text)) return undefined
    return judges.find(({ language, expression }) => languages.includes(language) && expression.test(line.text))
      ?.standing
  }
}

function exactWord(name: string): RegExp {
  return new RegExp(fill(String.raw`(?:^|[^\w$])NAME(?:[^\w$]|$)`, escapePattern(name)))
}

function fill(pattern: string, name: string): string {
  return pattern.replaceAll('NAME', () => name)
}
