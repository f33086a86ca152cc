import { dirname, normalize, sep } from 'node:path'
import picomatch from 'picomatch'
import { DefinitionBuildError } from '../contract/errors.ts'
import type { ReadGuard } from '../contract/read-guard.ts'

/** What a read guard denies and caps. */
export interface ReadGuardOptions {
  /**
   * Globs over whole paths with forward slashes, matched without regard to case. One without a leading slash matches
   * at any depth: `.env` is the same as `.env` below any folder. A denied folder denies all below it. A leading `!` is an exception: the
   * path itself stays readable, though never inside a denied folder.
   */
  readonly deny: readonly string[]
  /** The most bytes that one read returns: at least 1. */
  readonly maxReadBytes: number
}

/**
 * Makes a read guard from globs.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the option that is not valid.
 */
export function createReadGuard({ deny, maxReadBytes }: ReadGuardOptions): ReadGuard {
  if (!Number.isSafeInteger(maxReadBytes) || maxReadBytes < 1) throw invalid('maxReadBytes')
  const denied = deny.flatMap((glob, index) => (glob.startsWith('!') ? [] : [compileGlob(glob, index)]))
  const excepted = deny.flatMap((glob, index) => (glob.startsWith('!') ? [compileGlob(glob.slice(1), index)] : []))
  const deniedItself = (path: string) => denied.some((test) => test(path)) && !excepted.some((test) => test(path))
  return Object.freeze({
    maxReadBytes,
    deniedRead: (canonicalPath: string) => withFolders(normalize(canonicalPath)).some((path) => deniedItself(path)),
  })
}

function compileGlob(glob: string, index: number): (path: string) => boolean {
  if (typeof glob !== 'string' || glob.trim() === '' || glob.startsWith('!')) throw invalid(`deny[${index}]`)
  const anywhere = glob.startsWith('/') || glob.startsWith('**/') ? glob : `**/${glob}`
  // `s`: a folder with a line break in its name must not hide what lies below it
  return picomatch(anywhere, { dot: true, nocase: true, nonegate: true, flags: 'is' })
}

/** The path and each folder above it, with forward slashes. */
function withFolders(path: string): string[] {
  const all: string[] = []
  for (let part = path; dirname(part) !== part; part = dirname(part)) {
    all.push(sep === '/' ? part : part.replaceAll(sep, '/'))
  }
  return all
}

function invalid(option: string): DefinitionBuildError {
  return new DefinitionBuildError('invalid_definition', 'createReadGuard', option)
}
