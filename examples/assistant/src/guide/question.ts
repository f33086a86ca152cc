import type { CodeName } from './subject.ts'

/** What a manifest or a readme can tell. */
export type Fact = 'install' | 'build' | 'run' | 'test' | 'licence' | 'dependencies' | 'entry' | 'version'

/** How a use of a name is meant. */
export type UseKind = 'use' | 'call' | 'import' | 'test'

/** Which files are asked for. */
export interface FileFilter {
  readonly glob?: string
  readonly folder?: string
  /** Part of the file names. */
  readonly name?: string
  readonly extensions?: readonly string[]
  readonly tests?: boolean
}

/** A question as the guide understands it, by what it asks for. */
export type Question =
  | { readonly kind: 'greeting' }
  | { readonly kind: 'recall'; readonly of: 'questions' | 'work' }
  | { readonly kind: 'overview' }
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'files'; readonly filter: FileFilter }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly outline: boolean
      readonly range?: { readonly from: number; readonly to: number }
    }
  | {
      readonly kind: 'name'
      readonly name: CodeName
      /** What the answer dwells on: where it is defined, what it looks like, or one kind of use. */
      readonly about: 'definition' | 'explanation' | UseKind
      /** A file or folder to stay in. */
      readonly within?: string
    }
  | { readonly kind: 'terms'; readonly terms: readonly string[]; readonly phrase: boolean }
