/** Cycles in a directed graph. */

/**
 * Finds one cycle per knot of nodes that reach each other.
 *
 * @param {ReadonlyMap<string, readonly string[]>} graph each node and the nodes that it points to.
 * @returns {string[][]} each a path whose last node points to its first.
 */
export function findCycles(graph) {
  /** @type {Map<string, 'open' | 'done'>} */
  const states = new Map()
  /** @type {string[]} */
  const path = []
  /** @type {string[][]} */
  const cycles = []
  /** @param {string} node */
  const visit = (node) => {
    states.set(node, 'open')
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      const state = states.get(next)
      if (state === 'open') cycles.push(path.slice(path.indexOf(next)))
      if (state === undefined) visit(next)
    }
    path.pop()
    states.set(node, 'done')
  }
  for (const node of graph.keys()) if (!states.has(node)) visit(node)
  return cycles
}
