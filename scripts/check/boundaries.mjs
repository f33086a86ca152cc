/** The borders between and inside packages: directions, doors, cycles, and the form of each source. */
import { findCycles } from './cycles.mjs'
import { checkDirections, checkRootDoors } from './direction-rules.mjs'
import { checkDoors } from './door-rules.mjs'
import { readImportGraph } from './import-graph.mjs'
import { checkSource } from './source-rules.mjs'

/**
 * Checks all sources of the workspace.
 *
 * @param {string} root
 * @returns {string[]} one line per problem.
 */
export function checkBoundaries(root) {
  const graph = readImportGraph(root)
  return [
    ...checkDirections(graph),
    ...checkRootDoors(graph),
    ...checkDoors(graph),
    ...checkCycles(graph),
    ...[...graph.files.values()].flatMap(checkSource),
  ]
}

/** @param {import('./import-graph.mjs').ImportGraph} graph */
function checkCycles({ files, edges }) {
  const targets = new Map([...files.keys()].map((path) => [path, /** @type {string[]} */ ([])]))
  for (const { from, file } of edges) if (file !== undefined) targets.get(from.path)?.push(file)
  return findCycles(targets).map((cycle) => `${cycle[0]}: import cycle: ${[...cycle, cycle[0]].join(' -> ')}`)
}
