/** English words that say nothing about what is searched. */
const stopWords = new Set(
  (
    'a about above after again all also am an and any are aren as at be because been before being below between both but by can could did do does ' +
    'doing don down during each else every explain few find for from further get give go had has have having he her here hers him his how i if in into ' +
    'is isn it its itself just kind know let like list look looking made make many may me mean means might more most much must my need no nor not now of ' +
    'off on once only or other our out over please really same search see shall she should show so some somebody someone something such tell than that the ' +
    'their them then there these they thing things this those through to too under until up use used uses using very want was way we were what whats when ' +
    'where wheres which while who whom why will with work works would you your handle handled handles happen happens'
  ).split(' '),
)

/** The same in German, for questions that no rule of ours reads. */
const germanStopWords = new Set(
  (
    'aber alle als am an auch auf aus bei bin bist da das dass dem den der des die dieser dieses doch du ein eine einem einen einer er es für gibt hat ich ' +
    'ihr im in ist ja kann kein man mein mich mir mit nach nicht noch nur oder sein sich sie sind so über um und uns von vor war was welche welcher wenn ' +
    'wer werden wie wieso wir wird wo woher zu zum zur finde suche zeige zeig bitte'
  ).split(' '),
)

/** The most terms of one question, and the longest one. */
const maxTerms = 4
const maxTermLength = 100

/** Whether an English word carries no meaning of its own. */
export function isStopWord(word: string): boolean {
  return word.length < 2 || stopWords.has(word.toLowerCase())
}

/** Whether a term is written in capitals, which mean a word like TODO itself. */
export function isShouted(term: string): boolean {
  return /^[A-Z][A-Z\d]+$/.test(term)
}

/** Picks the words worth a search: the longer first, because they are rarer. */
export function searchTerms(words: readonly string[]): readonly string[] {
  const allShouted = words.every(isShouted)
  const stems = words
    .filter((word) => !isStopWord(word) && !germanStopWords.has(word.toLowerCase()))
    .map((word) => (isShouted(word) && !allShouted ? word : stem(word)))
  const terms = stems.map((term) => term.slice(0, maxTermLength).toWellFormed())
  return [...new Set(terms)].sort((left, right) => right.length - left.length).slice(0, maxTerms)
}

const endings = ['ations', 'ation', 'ings', 'ing', 'ies', 'ers', 'er', 'ors', 'or', 'ed', 'es', 's', 'y']

/** Cuts the ending of an English word off, so that "parsing" finds "parser". */
function stem(word: string): string {
  const lower = word.toLowerCase()
  const ending = endings.find((candidate) => lower.endsWith(candidate) && lower.length - candidate.length >= 4)
  const cut = ending === undefined ? lower : lower.slice(0, -ending.length)
  return /([bdglmnprt])\1$/.test(cut) ? cut.slice(0, -1) : cut
}
