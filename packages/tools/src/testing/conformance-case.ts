import type { JsonObject } from '@looprig/core'
import type { AvailableBindings } from '../contract/bindings.ts'
import type { ToolDefinition } from '../contract/definition.ts'

/** What one test runs against. */
export interface ConformanceWorld {
  /** The arguments of the call. They succeed in this world, unless the case `fails`. */
  readonly args: JsonObject
  /** What the definition requires, for example `{ workspace: { root } }`. Ids are made up where there are none. */
  readonly bindings?: Partial<AvailableBindings> | undefined
  /** Built in place of the definition under test, where that depends on the world; yields the same tools. */
  readonly definition?: ToolDefinition | undefined
  /**
   * A picture of all that the tool could change, for example a file's text and how often a client was called. It is
   * compared before and after what must have no effect.
   */
  readonly observe?: (() => unknown) | undefined
  /** Takes the world down; called once, also after a failure. */
  readonly close?: (() => void | Promise<void>) | undefined
}

/** Text that a tool usually refuses: a NUL, more than 1 MiB, or nothing at all. */
export type OddText = 'control' | 'overlong' | 'empty'

/** One call of the tool that is put to the test. */
export interface ConformanceCase {
  /** Titles its tests. */
  readonly name: string
  /** The tool to call, where the definition has several. Default: the first. */
  readonly tool?: string | undefined
  /** Makes a world; called anew for every test. */
  readonly open: () => ConformanceWorld | Promise<ConformanceWorld>
  /**
   * The call is refused or ends as an error with this code, and changes nothing. Then only this is tested, and that no
   * sentinel is told.
   */
  readonly fails?: string | undefined
  /** The closed set of codes that results of the tool have, besides `contractCodes`. Default: none. */
  readonly codes?: readonly string[] | undefined
  /**
   * Texts planted in the world and in the arguments, for example in a file's content or a header, that must be told in
   * no request, audit line, write target or error. Where the workspace is on the host is looked for in any case, in audit
   * lines and errors.
   */
  readonly sentinels?: readonly string[] | undefined
  /**
   * The text arguments that take what others refuse, by name, for example `{ content: ['control', 'overlong', 'empty'] }`.
   * A nested one is named by its path without indices: `edits.old_string`.
   */
  readonly accepts?: Readonly<Record<string, readonly OddText[]>> | undefined
}
