/** Rules for doors: one file per `exports` key, named re-exports only, and no re-export anywhere else. */
import { listDoors } from './import-graph.mjs'

/** @typedef {import('./import-graph.mjs').ImportGraph} ImportGraph */
/** @typedef {import('./source-file.mjs').SourceFile} SourceFile */
/** @typedef {import('./source-file.mjs').Node} Node */

/**
 * Checks the `exports` of every package and the files that they name.
 *
 * @param {ImportGraph} graph
 * @returns {string[]} one line per problem.
 */
export function checkDoors({ packages, files }) {
  const doors = packages.flatMap((owner) => listDoors(owner).map((door) => ({ ...door, folder: owner.folder })))
  const sources = new Set(doors.map(({ source }) => source))
  const others = [...files.values()].filter(({ path }) => !sources.has(path))
  return [...doors.flatMap((door) => doorProblems(door, files.get(door.source))), ...others.flatMap(barrelProblems)]
}

/**
 * @param {ReturnType<typeof listDoors>[number] & {folder: string}} door
 * @param {SourceFile | undefined} file
 */
function doorProblems({ name, specifier, source, conditions, folder }, file) {
  const expected = { 'looprig-source': `./src/${name}.ts`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
  const manifest = Object.entries(expected).flatMap(([condition, path]) =>
    conditions[condition] === path ? [] : [`${folder}/package.json: ${specifier}: ${condition} is not ${path}`],
  )
  if (!file) return [...manifest, `${source}: the source of the door ${specifier} is missing`]
  const wrong = file.body.filter((node) => !isNamedReExport(node))
  const lines = wrong.map(
    ({ start }) => `${source}:${file.lineAt(start)}: a door holds only named re-exports of its own files`,
  )
  return [...manifest, ...lines]
}

/** @param {Node} node */
function isNamedReExport(node) {
  if (node.type !== 'ExportNamedDeclaration' || !node.source?.value.startsWith('./')) return false
  return node.specifiers.every(
    (/** @type {Node} */ { local, exported }) => ![local.name, exported.name].includes('default'),
  )
}

/** @param {SourceFile} file */
function barrelProblems({ path, body, lineAt }) {
  const imported = body.flatMap((node) => (node.type === 'ImportDeclaration' ? node.specifiers : []))
  const names = new Set(imported.map(({ local }) => local.name))
  const passedOn = body.filter(
    ({ type, source, specifiers }) =>
      type === 'ExportAllDeclaration' ||
      (type === 'ExportNamedDeclaration' &&
        (source || specifiers.some((/** @type {Node} */ { local }) => names.has(local.name)))),
  )
  return passedOn.map(({ start }) => `${path}:${lineAt(start)}: only a door re-exports what another file owns`)
}
