import type { PatternToken } from './pattern-token.ts'

/** A text that every match holds. */
export interface RequiredLiteral {
  /** Lower case when `foldCase` is set. */
  readonly text: string
  /** Compare without regard to ASCII case. */
  readonly foldCase: boolean
}

/** What folds to and from something that is no ASCII letter: `k` to the Kelvin sign, `s` to the long s. */
const foldsOddly = /[^\x00-\x7f]|[ks]/i

/** The longest text that every match must hold, or undefined when there is none that is sure. */
export function requiredLiteral(tokens: readonly PatternToken[], ignoreCase: boolean): RequiredLiteral | undefined {
  let best = ''
  let run = ''
  let depth = 0
  const endRun = () => {
    if (run.length > best.length) best = run
    run = ''
  }
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'flags' || (token.kind === 'bar' && depth === 0)) return undefined
    if (token.kind === 'open') depth += 1
    if (token.kind === 'close') depth -= 1
    const following = tokens[index + 1]
    const isSure = token.kind === 'literal' && depth === 0 && !(ignoreCase && foldsOddly.test(token.character))
    if (!isSure || (following?.kind === 'quantifier' && following.isOptional)) {
      endRun()
      continue
    }
    run += token.character
    if (following?.kind === 'quantifier') endRun()
  }
  endRun()
  if (best === '') return undefined
  return ignoreCase ? { text: best.toLowerCase(), foldCase: true } : { text: best, foldCase: false }
}
