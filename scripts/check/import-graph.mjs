/** The import graph of the workspace: every source of every package, and what each import means. */
import { posix } from 'node:path'
import { listPackages } from '../bootstrap/workspace.mjs'
import { listSources, readSource } from './source-file.mjs'

/** @typedef {import('../bootstrap/workspace.mjs').Package} Package */
/** @typedef {import('./source-file.mjs').SourceFile} SourceFile */

/**
 * @typedef {object} Edge one import.
 * @property {SourceFile} from
 * @property {Package} owner the package that imports.
 * @property {string} specifier
 * @property {number} line
 * @property {string} [file] the source that it names, in this package or another.
 * @property {Package} [target] the other package of the workspace that it names.
 * @property {string} [external] the npm package or `node:` module that it names.
 */

/** @typedef {{packages: readonly Package[], files: ReadonlyMap<string, SourceFile>, edges: readonly Edge[]}} ImportGraph */

/**
 * Reads all sources below `packages/<p>/src` and `examples/<p>/src`.
 *
 * @param {string} root
 * @returns {ImportGraph}
 */
export function readImportGraph(root) {
  const packages = listPackages(root)
  const owned = packages.flatMap((owner) =>
    listSources(root, `${owner.folder}/src`).map((path) => ({ owner, from: readSource(root, path) })),
  )
  const edges = owned.flatMap(({ owner, from }) =>
    from.imports.map((each) => ({ from, owner, ...each, ...resolve(each.specifier, from.path, packages) })),
  )
  return { packages, files: new Map(owned.map(({ from }) => [from.path, from])), edges }
}

/**
 * The doors of a package: each published specifier and its source, relative to the root.
 *
 * @param {Package} owner
 * @returns {{name: string, specifier: string, source: string, conditions: Record<string, string>}[]}
 */
export function listDoors({ folder, manifest }) {
  return Object.entries(manifest.exports ?? {}).map(([key, conditions]) => {
    const source = posix.join(folder, conditions['looprig-source'] ?? '')
    return { name: key === '.' ? 'index' : key.slice(2), specifier: posix.join(manifest.name, key), source, conditions }
  })
}

/**
 * @param {string} specifier
 * @param {string} path the importing file.
 * @param {readonly Package[]} packages
 * @returns {Pick<Edge, 'file' | 'target' | 'external'>}
 */
function resolve(specifier, path, packages) {
  if (specifier.startsWith('.')) return { file: posix.join(posix.dirname(path), specifier) }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const target = packages.find(({ manifest }) => manifest.name === name)
  if (!target) return { external: specifier.startsWith('node:') ? specifier : name }
  const door = listDoors(target).find((each) => each.specifier === specifier)
  return door ? { target, file: door.source } : { target }
}
