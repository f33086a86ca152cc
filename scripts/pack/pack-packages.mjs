/** Packs packages as they would be published. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runTool } from '../check/run-tool.mjs'

/** @typedef {import('../bootstrap/workspace.mjs').Package} Package */

/**
 * Writes the declarations of each package beside its code, in an order in which each finds those that it needs.
 *
 * @param {string} root
 * @param {readonly Package[]} packages
 * @returns {Promise<string[]>} one line per problem.
 */
export async function buildDeclarations(root, packages) {
  for (const { folder } of inBuildOrder(packages)) {
    const problems = await runTool(root, 'typescript/bin/tsc', ['-p', join(root, folder, 'tsconfig.build.json')])
    if (problems.length > 0) return [`${folder}: the declarations could not be made`, ...problems]
  }
  return []
}

/**
 * Packs each package into `target`, with the manifest that is published.
 *
 * @param {string} root
 * @param {readonly Package[]} packages
 * @param {string} target
 * @returns {Promise<string[]>} one line per problem.
 */
export async function packAll(root, packages, target) {
  mkdirSync(target, { recursive: true })
  for (const { folder } of packages) {
    const args = ['--dir', join(root, folder), 'pack', '--pack-destination', target]
    const problems = await runTool(root, 'pnpm/bin/pnpm.cjs', args)
    if (problems.length > 0) return [`${folder}: could not be packed`, ...problems]
  }
  return []
}

/**
 * Finds the tarball of each package.
 *
 * @param {readonly Package[]} packages
 * @param {string} target where they were packed.
 * @returns {Record<string, string>} the path by the package's name.
 */
export function findTarballs(packages, target) {
  const files = readdirSync(target)
  const found = packages.flatMap(({ manifest: { name } }) => {
    const start = `${name.replace('@', '').replace('/', '-')}-`
    const file = files.find((each) => each.startsWith(start) && /^\d/.test(each.slice(start.length)))
    return file === undefined ? [] : [/** @type {const} */ ([name, join(target, file)])]
  })
  return Object.fromEntries(found)
}

/**
 * What a package imports comes before it.
 *
 * @param {readonly Package[]} packages
 * @returns {Package[]}
 */
export function inBuildOrder(packages) {
  /** @type {Package[]} */
  const ordered = []
  /** @param {Package} each */
  const visit = (each) => {
    if (ordered.includes(each)) return
    const { dependencies, devDependencies, peerDependencies } = each.manifest
    const needs = { ...dependencies, ...devDependencies, ...peerDependencies }
    for (const other of packages) if (other !== each && other.manifest.name in needs) visit(other)
    ordered.push(each)
  }
  for (const each of packages) visit(each)
  return ordered
}
