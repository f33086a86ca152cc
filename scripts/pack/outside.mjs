/** Projects outside of the workspace, in which the packed packages are installed. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installEnvironment } from '../bootstrap/install.mjs'
import { runCommand } from '../check/run-tool.mjs'

/** @typedef {Record<string, string>} Tarballs the path by the package's name. */

/**
 * Copies a package's own files to a folder of its own, as somebody has them who has not cloned this project.
 *
 * @param {string} source
 * @param {string} target
 * @param {Tarballs} tarballs
 */
export function copyPackage(source, target, tarballs) {
  cpSync(source, target, { recursive: true, filter: (path) => !/[\\/](node_modules|dist)$/.test(path) })
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const devDependencies = Object.fromEntries(
    Object.entries(manifest.devDependencies).map(([name, range]) => [name, fromTarball(tarballs, name) ?? range]),
  )
  writeManifest(target, { ...manifest, devDependencies }, tarballs)
}

/**
 * Makes a project that depends on every tarball.
 *
 * @param {string} target
 * @param {Tarballs} tarballs
 * @param {Record<string, string>} others what else it depends on, with its versions.
 */
export function makeConsumer(target, tarballs, others) {
  mkdirSync(target, { recursive: true })
  const own = Object.keys(tarballs).map((name) => [name, fromTarball(tarballs, name)])
  const dependencies = { ...Object.fromEntries(own), ...others }
  writeManifest(target, { name: 'consumer', private: true, type: 'module', dependencies }, tarballs)
}

/**
 * Installs a project. Our own packages come from the tarballs, everything else from the cache or the registry that is
 * set up on this machine.
 *
 * @param {string} root where pnpm is.
 * @param {string} folder
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} one line per problem.
 */
export function installOutside(root, folder, signal) {
  const args = [
    join(root, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs'),
    'install',
    '--ignore-workspace',
    '--no-frozen-lockfile',
    '--prefer-offline',
    '--strict-peer-dependencies',
    '--reporter=append-only',
    '--loglevel=warn',
  ]
  return runCommand(process.execPath, args, { cwd: folder, env: installEnvironment(process.env, root), signal })
}

/**
 * The packages depend on one another by version; none of them is in a registry.
 *
 * @param {string} target
 * @param {object} manifest
 * @param {Tarballs} tarballs
 */
function writeManifest(target, manifest, tarballs) {
  const overrides = Object.fromEntries(Object.keys(tarballs).map((name) => [name, fromTarball(tarballs, name)]))
  writeFileSync(join(target, 'package.json'), JSON.stringify({ ...manifest, pnpm: { overrides } }, null, 2))
}

/**
 * @param {Tarballs} tarballs
 * @param {string} name
 */
function fromTarball(tarballs, name) {
  return tarballs[name] && `file:${tarballs[name]}`
}
