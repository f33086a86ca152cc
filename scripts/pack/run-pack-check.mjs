/** The packages as people get them: packed, installed elsewhere, and used there. One line for each check. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { listPackages } from '../bootstrap/workspace.mjs'
import { consumerChecks, writeEveryDoor } from './consumer-checks.mjs'
import { copyPackage, installOutside, makeConsumer } from './outside.mjs'
import { buildDeclarations, findTarballs, packAll } from './pack-packages.mjs'

/** @typedef {[name: string, check: () => string[] | Promise<string[]>]} Check answers with what is wrong, line by line. */

const ownTools = 'examples/own-tool-package'

/**
 * Packs the packages and the example of a tool package, and proves what comes out. Everything is made in a temporary
 * folder, which is removed afterwards, also after a failure.
 *
 * @param {string} root
 * @param {string[]} argv `--report FILE` for the counts as JSON; `--keep` leaves the folder.
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 0 when all passed, 1 when one failed, 2 for a wrong argument.
 */
export async function runPackCheck(root, argv, signal) {
  const options = readArguments(argv)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\nusage: npm run pack-check -- [--keep] [--report FILE]\n`)
    return 2
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'looprig-pack-')))
  try {
    const counts = await runInOrder(checksIn(root, folder, signal), signal)
    process.stdout.write(`${counts.passed} of ${counts.passed + counts.failed} pack checks passed\n`)
    if (options.report !== undefined) writeReport(options.report, counts)
    return counts.failed > 0 ? 1 : 0
  } finally {
    if (options.keep === true) process.stderr.write(`looprig: left in ${folder}\n`)
    else rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {AbortSignal} signal
 * @returns {Check[]} each needs those before it.
 */
function checksIn(root, folder, signal) {
  const packages = listPackages(root).filter((each) => each.folder.startsWith('packages/') || each.folder === ownTools)
  const tarballFolder = join(folder, 'tarballs')
  const consumer = join(folder, 'consumer')
  const copy = join(folder, 'own-tool-package')
  return [
    ['declarations', () => buildDeclarations(root, packages)],
    ['pack', () => packAll(root, packages, tarballFolder)],
    [
      'install',
      async () => {
        const tarballs = findTarballs(packages, tarballFolder)
        copyPackage(join(root, ownTools), copy, tarballs)
        makeConsumer(consumer, tarballs, consumerDependencies(packages))
        cpSync(join(root, 'scripts', 'pack', 'consumer'), consumer, { recursive: true })
        writeEveryDoor(packages, consumer)
        const problems = await Promise.all([copy, consumer].map((each) => installOutside(root, each, signal)))
        return problems.flat()
      },
    ],
    ...consumerChecks(packages, { copy, consumer, signal }),
  ]
}

/**
 * What a project needs besides our packages, in the versions of the example.
 *
 * @param {readonly import('../bootstrap/workspace.mjs').Package[]} packages
 */
function consumerDependencies(packages) {
  const { dependencies, devDependencies } = packages.find((each) => each.folder === ownTools)?.manifest ?? {}
  const { typescript = '', '@types/node': node = '' } = devDependencies ?? {}
  return { ...dependencies, typescript, '@types/node': node }
}

/**
 * Runs checks up to the first that fails; those behind it count as failed, since they had nothing to run on.
 *
 * @param {readonly Check[]} checks
 * @param {AbortSignal} signal
 */
async function runInOrder(checks, signal) {
  const counts = { passed: 0, failed: 0 }
  let isBroken = false
  for (const [index, [name, check]] of checks.entries()) {
    signal.throwIfAborted()
    const startedAt = performance.now()
    const problems = isBroken ? ['did not run: one before it failed'] : await problemsOf(check)
    // from here on the checks do not need one another
    if (problems.length > 0 && index < 3) isBroken = true
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${problems.length > 0 ? 'FAIL' : 'ok  '} ${name.padEnd(14)} ${seconds} s\n`)
    for (const line of problems.flatMap((text) => text.split('\n'))) process.stdout.write(`     ${line}\n`)
    counts[problems.length > 0 ? 'failed' : 'passed'] += 1
  }
  return counts
}

/** @param {Check[1]} check */
async function problemsOf(check) {
  try {
    return await check()
  } catch (error) {
    return [error instanceof Error ? `${error.name}: ${error.message}` : String(error)]
  }
}

/** @param {string[]} args */
function readArguments(args) {
  try {
    return parseArgs({ args, options: { report: { type: 'string' }, keep: { type: 'boolean' } } }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * @param {string} path
 * @param {{passed: number, failed: number}} counts
 */
function writeReport(path, counts) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(counts))
}
