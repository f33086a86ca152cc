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
  const isListed = compileGlobs(deny.flatMap((glob, index) => (glob.startsWith('!') ? [] : [{ glob, index }])))
  const isExcepted = compileGlobs(
    deny.flatMap((glob, index) => (glob.startsWith('!') ? [{ glob: glob.slice(1), index }] : [])),
  )
  const deniedItself = (path: string) => isListed(path) && !isExcepted(path)
  const deniedFolder = remember((path) => isDenied(path))
  const isDenied = (path: string): boolean => {
    const folder = dirname(path)
    if (folder === path) return false
    return deniedFolder(folder) || deniedItself(sep === '/' ? path : path.replaceAll(sep, '/'))
  }
  return Object.freeze({ maxReadBytes, deniedRead: (canonicalPath: string) => isDenied(normalize(canonicalPath)) })
}

/** The most folders whose answer is remembered: a search asks for the same ones again and again. */
const maxRemembered = 10_000

function remember(decide: (path: string) => boolean): (path: string) => boolean {
  const answers = new Map<string, boolean>()
  return (path) => {
    const known = answers.get(path)
    if (known !== undefined) return known
    const answer = decide(path)
    if (answers.size >= maxRemembered) answers.clear()
    answers.set(path, answer)
    return answer
  }
}

interface NumberedGlob {
  readonly glob: string
  readonly index: number
}

/** Compiles globs into two expressions: those that only the last name of a path decides, and the others. */
function compileGlobs(globs: readonly NumberedGlob[]): (path: string) => boolean {
  const compiled = globs.map(compileGlob)
  const byName = either(compiled.filter(({ isName }) => isName).map(({ source }) => source))
  const byPath = either(compiled.filter(({ isName }) => !isName).map(({ source }) => source))
  return (path) => byName?.test(path.slice(path.lastIndexOf('/') + 1)) === true || byPath?.test(path) === true
}

function either(sources: readonly string[]): RegExp | undefined {
  // `s`: a folder with a line break in its name must not hide what lies below it
  return sources.length === 0 ? undefined : new RegExp(sources.map((source) => `(?:${source})`).join('|'), 'is')
}

function compileGlob({ glob, index }: NumberedGlob): { readonly source: string; readonly isName: boolean } {
  if (typeof glob !== 'string' || glob.trim() === '' || glob.startsWith('!')) throw invalid(`deny[${index}]`)
  const name = glob.startsWith('**/') ? glob.slice(3) : glob
  const isName = /^[\w.*?{},-]+$/.test(name) && !name.includes('**')
  const anywhere = glob.startsWith('/') || glob.startsWith('**/') ? glob : `**/${glob}`
  return { source: picomatch.makeRe(isName ? name : anywhere, { dot: true, nonegate: true }).source, isName }
}

function invalid(option: string): DefinitionBuildError {
  return new DefinitionBuildError('invalid_definition', 'createReadGuard', option)
}
