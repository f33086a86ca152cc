import type { CodeName, Subject } from './subject.ts'

/** A question made ready for the rules. */
export interface Reading {
  /** In lower case, with single spaces and without its last mark. */
  readonly plain: string
  readonly subject: Subject
  /** The name that the latest earlier question was about: what "it" stands for. */
  readonly earlierName: CodeName | undefined
}
