/** Installs the dependencies with the pinned pnpm, when the lockfile or the platform has changed. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './run-child.mjs'
import { likelyCause, SetUpError } from './set-up-error.mjs'
import { hashFiles, readStamp, writeStamp } from './stamp.mjs'
import { listPackages, readManifest } from './workspace.mjs'

/**
 * What the next install would be made from: the lockfile, the workspace file, and what binaries depend on.
 *
 * @param {string} root
 * @returns {string}
 */
export function installStamp(root) {
  const { platform, arch, versions } = process
  return hashFiles(root, ['pnpm-lock.yaml', 'pnpm-workspace.yaml'], `${platform} ${arch} ${versions.modules}`)
}

/**
 * Tells whether the last complete install fits, and is still there: the entry of each direct dependency is looked at.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function isInstalled(root) {
  if (readStamp(stampPath(root)) !== installStamp(root)) return false
  const own = { folder: '.', manifest: readManifest(root) }
  return [own, ...listPackages(root)].every(({ folder, manifest }) =>
    Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies }).every((name) =>
      existsSync(join(root, folder, 'node_modules', name, 'package.json')),
    ),
  )
}

/**
 * Installs exactly what the lockfile says. The stamp goes first and comes back last, so half an install has none.
 *
 * @param {string} root
 * @param {{signal: AbortSignal, onStart: (pid: number) => void}} options
 * @throws {SetUpError} when the install fails; what pnpm said is on stderr by then.
 */
export async function install(root, { signal, onStart }) {
  const stamp = installStamp(root)
  writeStamp(stampPath(root), '')
  const env = installEnvironment(process.env, root)
  const { code, tail } = await runChild(...npxCall(), { cwd: root, env, signal, onStart })
  if (code !== 0) throw new SetUpError(installFailed(code, tail))
  writeStamp(stampPath(root), stamp)
}

/**
 * The environment of a child of the set-up. Settings of npm and Node.js that would change what is installed are left
 * out; those that say how to reach a registry stay. A home folder that cannot be written is replaced by one in the clone.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root
 * @returns {NodeJS.ProcessEnv}
 */
export function installEnvironment(env, root) {
  const kept = Object.entries(env).filter(([name]) => {
    const setting = /^p?npm_config_(.*)/i.exec(name)?.[1]
    return setting === undefined ? !/^(p?npm_|NODE_ENV$|INIT_CWD$)/i.test(name) : networkSetting.test(setting)
  })
  const child = Object.fromEntries(kept)
  if (child.NODE_OPTIONS) child.NODE_OPTIONS = child.NODE_OPTIONS.replace(/--inspect\S*/g, '')
  if (!isWritable(homedir())) Object.assign(child, homeInClone(root))
  return { ...quickRetries, ...child, npm_config_loglevel: 'warn', npm_config_update_notifier: 'false' }
}

/** A prefix without packages keeps npx from taking a pnpm out of a half-made node_modules. */
const installArgs = [
  '--prefix=.looprig',
  '-y',
  'pnpm@10.34.9',
  'install',
  '--frozen-lockfile',
  '--loglevel=info',
  '--reporter=append-only',
  '--config.confirm-modules-purge=false',
]

/** npm's own pauses keep a person who is offline waiting for more than a minute. */
const quickRetries = { npm_config_fetch_retry_mintimeout: '1000', npm_config_fetch_retry_maxtimeout: '10000' }

const networkSetting =
  /registry$|proxy$|_auth|^(\/\/.*|ca|cafile|cert|key|strict.ssl|fetch.*|maxsockets|network.*|offline|prefer.offline|cache|store.dir|userconfig|globalconfig)$/i

/**
 * On Windows npx is a command file, which only a shell can start.
 *
 * @returns {[file: string, args: string[]]}
 */
function npxCall() {
  if (process.platform !== 'win32') return ['npx', installArgs]
  return ['cmd.exe', ['/d', '/s', '/c', ['npx', ...installArgs].join(' ')]]
}

/** @param {string} root */
function stampPath(root) {
  return join(root, '.looprig', 'install-stamp')
}

/** @param {string} folder */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** @param {string} root */
function homeInClone(root) {
  const home = join(root, '.looprig', 'home')
  mkdirSync(home, { recursive: true })
  return { HOME: home, USERPROFILE: home, npm_config_cache: join(home, '.npm') }
}

/**
 * @param {number} code
 * @param {string} tail
 */
function installFailed(code, tail) {
  const cause = likelyCause(tail) ?? 'The reason is printed above.'
  return `the dependencies could not be installed (exit code ${code}). ${cause}\nRun the same command again afterwards: nothing needs to be cleaned up.`
}
