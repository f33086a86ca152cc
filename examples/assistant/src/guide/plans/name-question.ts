import type { UseKind } from '../question.ts'
import type { CodeName } from '../subject.ts'

/** What is asked of a name. */
export interface NameQuestion {
  readonly name: CodeName
  /** A file or folder to stay in. */
  readonly within?: string
}

/** What the answer dwells on. */
export type NameFocus = 'definition' | 'explanation' | Exclude<UseKind, 'import'>
