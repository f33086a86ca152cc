/** Rules over imports: which package may import which door, and what a root door may reach. */
import { listDoors } from './import-graph.mjs'

/** @typedef {import('./import-graph.mjs').ImportGraph} ImportGraph */
/** @typedef {import('./import-graph.mjs').Edge} Edge */

/** The packages whose root door each package may import. Examples may import every door. @type {Record<string, string[]>} */
const mayImport = {
  '@looprig/core': [],
  '@looprig/inference': ['@looprig/core'],
  '@looprig/tools': ['@looprig/core'],
  '@looprig/store': [],
  '@looprig/harness': ['@looprig/core', '@looprig/inference', '@looprig/tools', '@looprig/store'],
  '@looprig/sandbox': ['@looprig/tools'],
}

/** What the graph of a root door may reach apart from its own package and `node:` modules. @type {Record<string, string[]>} */
const rootReaches = {
  '@looprig/core': ['zod'],
  '@looprig/tools': ['@looprig/core', 'zod'],
  '@looprig/store': [],
}

/**
 * Checks every import by itself.
 *
 * @param {ImportGraph} graph
 * @returns {string[]} one line per problem.
 */
export function checkDirections({ files, edges }) {
  return edges.flatMap((edge) => {
    const problem = edge.external ? externalProblem(edge) : (doorProblem(edge) ?? fileProblem(edge, files))
    return problem ? [`${edge.from.path}:${edge.line}: ${problem}`] : []
  })
}

/**
 * Checks what a reader of a root door has to load.
 *
 * @param {ImportGraph} graph
 * @returns {string[]}
 */
export function checkRootDoors(graph) {
  return graph.packages.flatMap((owner) => {
    const allowed = rootReaches[owner.manifest.name]
    const door = listDoors(owner).find(({ name }) => name === 'index')
    if (!allowed || !door) return []
    return edgesBelow(graph, door.source, owner.folder).flatMap(({ from, line, target, external }) => {
      const name = target?.manifest.name ?? external
      if (name === undefined || name === owner.manifest.name || name.startsWith('node:') || allowed.includes(name))
        return []
      return [
        `${from.path}:${line}: the root door of ${owner.manifest.name} reaches ${name}; it may reach only ${allowed.join(' and ') || 'its own files'}`,
      ]
    })
  })
}

/** @param {Edge} edge */
function externalProblem({ owner, external = '' }) {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = owner.manifest
  const tooling = isExample(owner.folder) ? devDependencies : {}
  const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies, ...tooling }
  return external.startsWith('node:') || external in declared
    ? undefined
    : `${external} is not declared in package.json`
}

/** @param {Edge} edge */
function doorProblem({ owner, target, file, specifier }) {
  if (!target) return undefined
  const name = target.manifest.name
  if (target === owner) return `imports its own door ${specifier}; use a relative path`
  if (!file) return `${specifier} is no published door of ${name}`
  if (isExample(owner.folder)) return undefined
  if (!mayImport[owner.manifest.name]?.includes(name)) return `${owner.manifest.name} may not import ${name}`
  return specifier === name ? undefined : `packages import only the root door of another package, not ${specifier}`
}

/**
 * @param {Edge} edge
 * @param {ImportGraph['files']} files
 */
function fileProblem({ owner, target, file = '', specifier }, files) {
  if (target || file === `${owner.folder}/package.json`) return undefined
  if (!file.startsWith(`${owner.folder}/src/`)) return `${specifier} leaves the package's src folder`
  return files.has(file) ? undefined : `${specifier} is no source file; name it with its extension`
}

/**
 * @param {ImportGraph} graph
 * @param {string} start
 * @param {string} folder edges are followed inside this package only.
 * @returns {Edge[]}
 */
function edgesBelow({ edges }, start, folder) {
  const reached = new Set([start])
  for (const file of reached) {
    for (const edge of edges) {
      if (edge.from.path === file && edge.file?.startsWith(`${folder}/`)) reached.add(edge.file)
    }
  }
  return edges.filter(({ from }) => reached.has(from.path))
}

/** @param {string} folder */
function isExample(folder) {
  return folder.startsWith('examples/')
}
