import type { Language } from './language.ts'

/** How a line stands to a name: it defines it, alone or inside something, only declares it, or may do so. */
export type Standing = 'definition' | 'member' | 'declaration' | 'possible'

/** What a line looks like that defines a name. */
export interface DefinitionForm {
  readonly language: Language
  readonly standing: Standing
  /** A pattern in which `NAME` stands for the name. */
  readonly pattern: string
}

const raw = String.raw
const end = raw`(?:[^\w$]|$)`
const assigned = raw`=(?:[^=]|$)`
const scriptModifier = raw`(?:public|private|protected|static|async|override|abstract|get|set|declare|accessor|readonly)\s+`
const javaModifier =
  raw`(?:public|private|protected|internal|static|final|abstract|sealed|open|data|override|inline|suspend|partial|` +
  raw`readonly|implicit|lazy|case|virtual|async|fileprivate|mutating|const|lateinit|synchronized|native|default)\s+`

const script: readonly DefinitionForm[] = [
  ...formsOf('script', 'definition', [
    raw`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const\s+enum|const|let|var|function\s*\*?|class|interface|type|enum|namespace|module)\s+\*?NAME${end}`,
  ]),
  ...formsOf('script', 'member', [
    raw`^\s*(?:module\.)?exports\.NAME\s*${assigned}`,
    raw`^\s*(?:${scriptModifier})*[*#]?\s*NAME\s*(?:<[^(]*>)?\([^;]*\)\s*(?::[^;{]+)?\{`,
    raw`^\s*(?:${scriptModifier})+[*#]?NAME\s*(?:<[^(]*>)?\([^)]*$`,
    raw`^\s*(?:${scriptModifier})+#?NAME\s*[?!]?\s*(?:[:=;]|$)`,
    raw`^\s*["']?NAME["']?\s*:\s*(?:async\b|function\b|\(|[\w$]+\s*=>)`,
    raw`^\s*(?:[\w$]+\.)+NAME\s*${assigned}`,
  ]),
  ...formsOf('script', 'declaration', [
    raw`^\s+["']?NAME["']?\??\s*(?:<[^(]*>)?(?:\(.*\))?\s*:\s*\S`,
    raw`^\s*(?:${scriptModifier})+NAME\s*(?:<[^(]*>)?\(.*\)\s*(?::.*)?;`,
  ]),
  ...formsOf('script', 'possible', [raw`^\s+NAME\s*(?:<[^(]*>)?\($`]),
]

const python: readonly DefinitionForm[] = [
  ...formsOf('python', 'definition', [
    raw`^\s*(?:async\s+)?(?:def|cdef|cpdef)\s+NAME\s*[(\[]`,
    raw`^\s*class\s+NAME\s*[(:\[]`,
    raw`^NAME\s*(?::[^=]+)?${assigned}`,
  ]),
  ...formsOf('python', 'member', [raw`^\s+(?:self\.|cls\.)?NAME\s*(?::[^=]+)?${assigned}`]),
  ...formsOf('python', 'declaration', [raw`^\s+NAME\s*:\s*[^=]+$`]),
]

const go: readonly DefinitionForm[] = [
  ...formsOf('go', 'definition', [
    raw`^func\s+(?:\([^)]*\)\s*)?NAME\s*[(\[]`,
    raw`^\s*(?:type|var|const)\s+NAME${end}`,
  ]),
  ...formsOf('go', 'member', [raw`^\s+NAME\s+(?:[\w.*\[\]{}]+\s*)?${assigned}`]),
  ...formsOf('go', 'declaration', [raw`^\s+NAME\([^)]*\)\s+[\w(*\[]`]),
]

const rust: readonly DefinitionForm[] = [
  ...formsOf('rust', 'definition', [
    raw`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|trait|type|mod|union|static(?:\s+mut)?|const|macro)\s+NAME${end}`,
    raw`^\s*macro_rules!\s*NAME${end}`,
  ]),
  ...formsOf('rust', 'declaration', [raw`^\s+(?:pub(?:\([^)]*\))?\s+)?NAME\s*:\s`]),
]

const java: readonly DefinitionForm[] = [
  ...formsOf('java', 'definition', [
    raw`^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:${javaModifier})*(?:class|interface|@interface|enum(?:\s+class)?|record|object|trait|struct|protocol|extension|fun|func|def|val|var|let|typealias|type|namespace|delegate)\s+(?:<[^>]*>\s*)?(?:\w+\.)?NAME${end}`,
    raw`^\s*(?:${javaModifier})+(?:<[^>]*>\s*)?(?:[\w<>\[\],.?]+\s+)?NAME\s*\(`,
  ]),
  ...formsOf('java', 'member', [
    raw`^\s*(?:${javaModifier})+[\w<>\[\],.?]+\s+NAME\s*[=;]`,
    raw`^\s+(?:[\w<>\[\],.?]+\s+)?NAME\s*\([^;]*\)\s*(?:throws\s+[\w.,\s]+)?\{`,
  ]),
  ...formsOf('java', 'declaration', [raw`^\s+[\w<>\[\],.?]+\s+NAME\s*\([^)]*\)\s*;`]),
]

const c: readonly DefinitionForm[] = [
  ...formsOf('c', 'definition', [
    raw`^\s*#\s*define\s+NAME${end}`,
    raw`^\s*(?:typedef\s+)?(?:struct|union|enum(?:\s+(?:class|struct))?|class)\s+(?:\w+\s+)?NAME\s*(?:final\s*)?(?:[:{]|$)`,
    raw`^\s*typedef\s.*[\s*&)]NAME\s*(?:\[[^\]]*\])?\s*;`,
    raw`^\s*typedef\s.*\(\s*\*\s*NAME\s*\)`,
    raw`^\}\s*\*?NAME\s*;`,
    raw`^\s*(?:using|namespace)\s+NAME${end}`,
  ]),
  ...formsOf('c', 'declaration', [
    raw`^\s*extern\b.*[\s*&]NAME\s*[(\[;]`,
    raw`^[A-Za-z_][\w\s*&:<>,~]*[\s*&:~]NAME\s*\(.*;`,
    raw`^\s*(?:struct|union|enum|class)\s+NAME\s*;`,
  ]),
  ...formsOf('c', 'definition', [
    raw`^[A-Za-z_][\w\s*&:<>,~]*[\s*&:~]NAME\s*\([^;]*$`,
    raw`^NAME\s*\([^;]*$`,
    raw`^[A-Za-z_][\w\s*&:<>]*[\s*&]NAME\s*(?:\[[^\]]*\])*\s*${assigned}`,
  ]),
  ...formsOf('c', 'member', [
    raw`^\s+(?:[\w:<>,*&~]+\s+)*[*&~]*NAME\s*\([^;]*\)[^;{]*\{`,
    raw`^\s+NAME\s*(?:=\s*[^=;]+)?,\s*(?:/[/*].*)?$`,
  ]),
  ...formsOf('c', 'declaration', [raw`^\s+(?:[\w:<>,*&~]+\s+)+[*&]*NAME\s*(?:\(.*)?;`]),
]

const shell: readonly DefinitionForm[] = formsOf('shell', 'definition', [
  raw`^\s*(?:function\s+)?NAME\s*\(\s*\)`,
  raw`^\s*function\s+NAME(?:[^\w-]|$)`,
  raw`^\s*(?:alias\s+|export\s+|readonly\s+|(?:declare|typeset|local)\s+(?:-\w+\s+)*)?NAME=`,
  raw`^\s*:\s*"?\$\{NAME:?=`,
])

const others: readonly DefinitionForm[] = [
  ...formsOf('make', 'definition', [raw`^NAME\s*:(?:[^=]|$)`, raw`^NAME\s*[:?+]?=`]),
  ...formsOf('other', 'definition', [
    raw`^\s*(?:(?:pub|export|public|private|protected|static|final|abstract|local|inline)\s+)*(?:def|defp|defmodule|defmacro|sub|function|module|class|trait|interface|package|fn|func|proc|let|val|type|data|macro|struct|const)\s+(?:self\.|\w+[.:])?&?NAME${end}`,
    raw`^\s*(?:my|our|local)\s+[$@%]?NAME${end}`,
    raw`^\s*(?:create|CREATE)\s+(?:\w+\s+)*(?:table|TABLE|view|VIEW|function|FUNCTION|type|TYPE)\s+NAME${end}`,
  ]),
]

/** All forms by language, the more telling first: the first that matches a line decides. */
export const definitionForms: readonly DefinitionForm[] = [
  ...script,
  ...python,
  ...go,
  ...rust,
  ...java,
  ...c,
  ...shell,
  ...others,
]

const keywords =
  'const|let|var|mut|val|function|class|interface|type|enum|namespace|module|package|def|defp|defmodule|defmacro|' +
  'cdef|cpdef|fn|func|fun|proc|sub|struct|trait|union|static|mod|macro|macro_rules!|record|object|protocol|extension|' +
  'typealias|delegate|data|using|define|my|our|local|alias|export|readonly|declare|typeset|' +
  'table|TABLE|view|VIEW|FUNCTION|TYPE'

/**
 * Patterns of RE2 for a search in files of any language. Together they find more than the forms: by `keyword` what is
 * rare and exact, by `shape` what looks like calls and assignments, too. The name stands outside of any alternative,
 * so that a search may pass over the lines that do not hold it.
 */
export const definitionSearches = {
  keyword:
    raw`(?:(?:^|[^\w$.])(?:${keywords})\s+(?:\([^)]*\)\s*)?(?:\w+[.:]|-\w+\s+)?[*&$@%]*|^(?:\w[^;=()]*[\s*&:~])?|` +
    raw`^\s*(?:typedef\b.*[\s*&(]|\}\s*\*?|(?:module\.)?exports\.|:\s*"?\$\{)|(?:^|\s)${javaModifier}[^;=]*[^\w$.])` +
    raw`NAME(?:\s*[=(\[{;:<,)]|\s+\w|\s*$)`,
  shape:
    raw`^\s*(?:[^=;(){}]*[^\w$=;(){}])?NAME["']?\s*[?!]?\s*` +
    raw`(?:[=:;]|,\s*(?:/.*)?$|(?:<[^(]*>)?\([^;]*$|\(.*\)\s*[:;{]|$)`,
}

function formsOf(language: Language, standing: Standing, patterns: readonly string[]): readonly DefinitionForm[] {
  return patterns.map((pattern) => ({ language, standing, pattern }))
}
