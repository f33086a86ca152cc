import type { Fact, UseKind } from './question.ts'

// The patterns read a question in lower case, with single spaces and without its last mark.

/** A greeting, or a question about the guide itself. */
export const greetingWords =
  /^(?:(?:hi|hello|hey|hallo|moin|servus|yo|good (?:morning|evening|day|afternoon)|guten (?:tag|morgen)|help|thanks?|thank you|danke|ok(?:ay)?)?(?: there| you| all)?|who are you|what are you|what can (?:you|i) (?:do|ask)|how do (?:you|i use you) work|what can i ask you)$/

/** A question about what was looked at in this session. */
export const recallWorkWords =
  /\bwhat (?:did|have|were) (?:you|we) (?:been )?(?:look|read|search|open|do|done|find|found|see|seen|check|visit)\w*|\b(?:which )?(?:files|searches) (?:did|have) (?:you|we)\b/

/** A question about earlier questions. */
export const recallQuestionWords =
  /\bwhat (?:did|have|was) (?:i|we) (?:just |already |previously )?(?:ask|say|said|want|talk)\w*|\bmy (?:(?:earlier|previous|last|first|old|other) )?questions?\b|\b(?:earlier|previous|last|first) questions?\b|\bquestions? (?:did|have) i\b|\bsummar\w+ (?:our|this) (?:conversation|session|chat)\b/

const project =
  'project|repo(?:sitory)?|code ?base|package|library|program|app(?:lication)?|workspace|tool|thing|crate|module|folder|directory'

/** A question about the project as a whole. */
export const overviewWords = new RegExp(
  `\\b(?:what|explain|describe|summar\\w+|tell me|overview|purpose|introduce)\\b.*\\b(?:this|the|our)\\b ?(?:\\w+ )?(?:${project})\\b(?! of )|` +
    `^(?:what is|what's|whats|explain|describe) (?:this|it)(?: all)?(?: about| for)?$|^what does (?:this|it) do$|` +
    '^(?:give (?:me )?)?(?:an? )?(?:overview|summary|introduction)\\b|^what (?:is|am i looking at) here$',
)

/** A question for what a manifest or a readme tells, the first that matches. */
export const factWords: readonly (readonly [Fact, RegExp])[] = [
  ['licence', /\blicen[cs]e[ds]?\b|\blicen[cs]ing\b/],
  [
    'dependencies',
    /\bdependenc(?:y|ies)\b|\bwhat does (?:it|this|the \w+) depend on\b|\bwhich (?:packages|libraries) .*\b(?:use|need)/,
  ],
  [
    'entry',
    /\bentry ?-?points?\b|\bmain (?:file|function|module|class)\b|\bwhere does (?:it|the \w+|this \w*) ?(?:start|begin)\b/,
  ],
  ['version', /\bwhat (?:version|release)\b|\bwhich version\b|\bversion (?:is|of) (?:this|the)\b/],
  [
    'install',
    /(?<![\w-])(?:install(?:ed|ing|ation)?|setup)(?![\w-])|\bset(?:ting)? (?:\w+ )?up\b|\bget(?:ting)? started\b/,
  ],
  [
    'test',
    /\b(?:run|execute|start|launch) (?:\w+ )?tests?\b|\bhow (?:do|can|to|should) (?:i |we |you )?test\b|\btest command\b/,
  ],
  [
    'build',
    /\bhow .*\b(?:build|compile)\b|\bbuild (?:it|this|command|the project|instructions?|steps?)\b|^(?:build|compile)$/,
  ],
  [
    'run',
    /\bhow .*\b(?:run|start|launch|use) (?:it|this|the)\b|\bhow (?:do|can|to|should) (?:i |we |you )?(?:run|start|use)$|^usage$|\bquick ?start\b/,
  ],
]

/** A question for the place of a definition. */
export const definitionWords =
  /^where(?:'s| is| are)\b|\bwhere was\b.*\b(?:defined|declared|implemented|created)\b|\b(?:definitions?|declaration|implementation) of\b|\bwhich (?:file|module|class)\w* (?:defines?|declares?|implements?)\b|\bwho defines\b|\bwhere (?:can|do|could|to) (?:i )?find\b|\bwhere (?:does|do) .* (?:come from|live)\b|^(?:find|show|go to|goto|open) (?:me )?(?:the )?(?:function|class|method|type|interface|struct|enum|macro|constant|trait)\b/

/** A question for what a name means. */
export const explanationWords =
  /\b(?:what (?:does|do|is|are)|how (?:does|do|is)|explain|describe|show|print|signature)\b/

/** A question for many things, not a command. */
export const whichWords =
  /\b(?:who|what|which|where|find|list|show|is|are|all|how many|how often|usages?|callers?|references)\b/

/** A question for uses, the first kind that matches. */
export const useWords: readonly (readonly [UseKind, RegExp])[] = [
  ['test', /\btests? (?:that |which )?(?:cover|use|exercise|check|test|call)\w*|\btests? (?:for|of)\b|\btested\b/],
  [
    'import',
    /\bimport(?:s|ed|ers?|ing)?\b|\b(?:who|what|which \w+) (?:requires?|includes?|depends? on)\b|\b(?:required|included) (?:by|in|from)\b/,
  ],
  ['call', /\bcall(?:s|ed|ers?|ing)?\b|\binvok(?:es?|ed|ing)\b/],
  [
    'use',
    /\buse[sd]?\b|\busages?\b|\breferenc(?:es?|ed|ing)\b|\bmention(?:s|ed)?\b|\bcontain(?:s|ed)?\b|\bextends?\b|\boccur(?:s|rences?)?\b/,
  ],
]

/** A question about files, and one that wants them listed. */
export const fileWords = /\b(?:files?|folders?|directories|directory|layout|structure|tree)\b|^(?:ls|dir|tree)\b/
export const listWords =
  /\b(?:list|show|find|how many|count|which|what|all|where|print|any|ls|give|name|are there)\b|^(?:ls|dir|tree)\b/

/** A question for tests. */
export const testWords = /\b(?:what|where|which|list|show|find|how many|are there|all)\b.*\btests?\b/

/** A wish to see a file: the verb comes first. */
export const showVerb = /^(?:please |can you |could you )?(?:show|read|print|cat|open|display|view)\b/
export const explainVerb = /^(?:please |can you |could you )?(?:explain|describe|summari[sz]e)\b/

const nameVocabulary = words(`
  function functions class classes method methods type types interface struct enum constant const variable macro symbol
  identifier trait module defined definition definitions define defines declared declaration declares implemented
  implementation implements located created used usage usages uses use references referenced reference refer called
  caller callers calls call calling invoked invokes invoke imported imports import importing who whom mention mentions
  mentioned contains contain code file files line lines exactly come comes coming live lives signature explain describe
  show print tests test cover covers covering exercise package does occurrences occurrence word string text there tested
  require requires required include includes included depend depends extends read cat open display view summarize summarise please`)

const fileVocabulary = words(`
  file files folder folders directory directories layout structure tree ls dir project repo repository workspace package
  named called name count number source sources code root many print this here matching whose contain contains codebase
  library main largest biggest important exist`)

/** Whether a word belongs to questions about names, and is no name itself. */
export function isNameVocabulary(word: string): boolean {
  return nameVocabulary.has(word.toLowerCase())
}

/** Whether a word belongs to questions about files, and is no part of a file's name. */
export function isFileVocabulary(word: string): boolean {
  return fileVocabulary.has(word.toLowerCase())
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}
