/** A piece of a pattern. `rust` is the same piece in ripgrep's syntax. */
export type PatternToken =
  | { readonly kind: 'literal'; readonly character: string; readonly rust: string }
  | { readonly kind: 'quantifier'; readonly isOptional: boolean; readonly rust: string }
  | { readonly kind: 'open' | 'close' | 'bar' | 'flags' | 'other'; readonly rust: string }

/** What one read took from the pattern. */
export interface TokenRead<T = PatternToken> {
  readonly token: T
  readonly next: number
}
