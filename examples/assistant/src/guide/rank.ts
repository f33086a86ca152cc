import { extensionOf } from './language.ts'

/** What kind of place a file stands in, the better first. */
export type Place = 'source' | 'test' | 'stub' | 'build' | 'vendored'

const places: readonly Place[] = ['source', 'test', 'stub', 'build', 'vendored']

const vendored = /(?:^|\/)(?:node_modules|vendor|third_party|site-packages|bower_components)\//
const built =
  /(?:^|\/)(?:dist|build|out|target|_build|cjs|esm|umd|\.next|coverage|__pycache__)\/|\.min\.[cm]?js$|\.map$|[.-]lock\b|-lock\.(?:json|yaml)$/
const stub = /\.d\.[cm]?ts$|\.pyi$/
const aside =
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures|__fixtures__|__mocks__|mocks|examples?|samples?|demos?|bench(?:marks?)?|e2e|t)\/|[._-](?:test|spec|bench|tests|stories)\.\w+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|Tests?\.(?:java|kt|cs|swift|scala)$/

/** Whether a file holds tests or what they need. */
export function isTestPath(path: string): boolean {
  return aside.test(path)
}

/** A judge of places. It needs all paths that are known, because built files are told by their sources. */
export function placesAmong(paths: Iterable<string>): (path: string) => Place {
  const sources = new Set([...paths].filter((path) => /\.[cm]?tsx?$/.test(path) && !stub.test(path)).map(twinOf))
  return (path) => {
    if (vendored.test(path)) return 'vendored'
    if (stub.test(path)) return 'stub'
    if (built.test(path)) return 'build'
    if (/^[cm]?jsx?$/.test(extensionOf(path)) && sources.has(twinOf(path))) return 'build'
    return aside.test(path) ? 'test' : 'source'
  }
}

/** Orders by place: sources first. */
export function comparePlaces(left: Place, right: Place): number {
  return places.indexOf(left) - places.indexOf(right)
}

/** Orders paths: the nearer to the root first, then by name. */
export function comparePaths(left: string, right: string): number {
  return depthOf(left) - depthOf(right) || (left < right ? -1 : left > right ? 1 : 0)
}

/** How many folders stand above a file. */
export function depthOf(path: string): number {
  return path.split('/').length - 1
}

/** The part of a path that a source and what is built from it have in common. */
function twinOf(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/(^|\/)(?:src|lib|dist|build|out|es|esm|cjs|umd)\//g, '$1')
}
