/** The packages of the workspace, as their folders and manifests tell. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Manifest the parts of a package.json that the scripts read.
 * @property {string} name
 * @property {Record<string, Record<string, string>>} [exports]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {{folder: string, manifest: Manifest}} Package `folder` is relative to the root, with `/`. */

/**
 * Lists `packages/*` and `examples/*` in a fixed order.
 *
 * @param {string} root
 * @returns {Package[]}
 */
export function listPackages(root) {
  return ['packages', 'examples'].flatMap((parent) =>
    subfolders(join(root, parent)).flatMap((name) => {
      const folder = `${parent}/${name}`
      const manifest = readManifest(join(root, folder))
      return manifest ? [{ folder, manifest }] : []
    }),
  )
}

/**
 * Reads the package.json of a folder; nothing where there is none.
 *
 * @param {string} folder
 * @returns {Manifest | undefined}
 */
export function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}

/** @param {string} folder */
function subfolders(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
  } catch {
    return []
  }
}
