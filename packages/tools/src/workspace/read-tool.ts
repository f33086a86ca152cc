import { DefinitionBuildError } from '../contract/errors.ts'
import type { ReadGuard } from '../contract/read-guard.ts'

/** What every tool that reads the workspace is made with. */
export interface ReadToolDeps {
  /** Decides what may be read; without one the tool does not build. */
  readonly readGuard: ReadGuard
}

/** What an application may set for every tool that reads the workspace. */
export interface ReadToolOptions {
  /** Makes the signal that ends a call after so many milliseconds. Default `AbortSignal.timeout`. */
  readonly deadline?: ((milliseconds: number) => AbortSignal) | undefined
}

/** @throws DefinitionBuildError `missing_dependency` when there is no usable guard. */
export function requireReadGuard(definition: string, deps: Partial<ReadToolDeps> | undefined): ReadGuard {
  const guard = deps?.readGuard
  const usable = typeof guard?.deniedRead === 'function' && guard.maxReadBytes >= 1
  if (!usable) throw new DefinitionBuildError('missing_dependency', definition, 'read_guard')
  return guard
}
