/** Runs the checks of CI, one after the other, with one line each. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeReady } from '../bootstrap/set-up.mjs'
import { checkBoundaries } from './boundaries.mjs'
import { checkBuiltDoors } from './built-doors.mjs'
import { checkDocBlocks } from './doc-blocks.mjs'
import { checkEvidence } from './evidence.mjs'
import { checkFirstAnswer } from './first-answer.mjs'
import { runTool } from './run-tool.mjs'
import { checkSnippets } from './snippets.mjs'

/** Each check answers with what is wrong, line by line. @type {Record<string, (root: string) => string[] | Promise<string[]>>} */
const checks = {
  types: (root) => runTool(root, 'typescript/bin/tsc', ['-p', 'tsconfig.json']),
  format: (root) => runTool(root, '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
  lint: (root) => runTool(root, 'oxlint/bin/oxlint', ['--deny-warnings', '.'], typeAwareLinter(root)),
  boundaries: checkBoundaries,
  docs: checkDocBlocks,
  snippets: checkSnippets,
  evidence: checkEvidence,
  doors: async (root) => {
    await makeReady(root)
    return checkBuiltDoors(root)
  },
  start: checkFirstAnswer,
}

const argumentsTaken = /** @type {const} */ ({ only: { type: 'string', multiple: true }, report: { type: 'string' } })

/**
 * Runs all checks, or those named by `--only`, to the end, whatever fails.
 *
 * @param {string} root
 * @param {string[]} argv `--only NAME` (may be repeated), `--report FILE` for the counts as JSON.
 * @returns {Promise<number>} the exit code: 0 when all passed, 1 when one failed, 2 for a wrong argument.
 */
export async function runChecks(root, argv) {
  const selection = selectChecks(argv)
  if (typeof selection === 'string') {
    process.stderr.write(
      `${selection}\nusage: npm run check -- [--only NAME]... [--report FILE]\nnames: ${Object.keys(checks).join(' ')}\n`,
    )
    return 2
  }
  const counts = { passed: 0, failed: 0 }
  for (const name of selection.names) {
    const startedAt = performance.now()
    const problems = await problemsOf(name, root)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${problems.length > 0 ? 'FAIL' : 'ok  '} ${name.padEnd(10)} ${seconds} s\n`)
    for (const line of problems.flatMap((text) => text.split('\n'))) process.stdout.write(`     ${line}\n`)
    counts[problems.length > 0 ? 'failed' : 'passed'] += 1
  }
  process.stdout.write(`${counts.passed} of ${selection.names.length} checks passed\n`)
  if (selection.report !== undefined) writeReport(selection.report, counts)
  return counts.failed > 0 ? 1 : 0
}

/**
 * @param {string[]} args
 * @returns {{names: readonly string[], report: string | undefined} | string} what to run, or what is wrong with the arguments.
 */
function selectChecks(args) {
  try {
    const { only = Object.keys(checks), report } = parseArgs({ args, options: argumentsTaken }).values
    const unknown = only.find((name) => !Object.hasOwn(checks, name))
    return unknown === undefined ? { names: only, report } : `there is no check called ${unknown}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * @param {string} name
 * @param {string} root
 */
async function problemsOf(name, root) {
  try {
    return (await checks[name]?.(root)) ?? []
  } catch (error) {
    return [error instanceof Error ? `${error.name}: ${error.message}` : String(error)]
  }
}

/**
 * Where oxlint finds its type-aware half; by itself it would take the one on the PATH, a script that needs more tools.
 *
 * @param {string} root
 * @returns {NodeJS.ProcessEnv}
 */
function typeAwareLinter(root) {
  if (process.platform === 'win32') return {}
  return { OXLINT_TSGOLINT_PATH: join(root, 'node_modules', 'oxlint-tsgolint', 'bin', 'tsgolint.js') }
}

/**
 * @param {string} path
 * @param {{passed: number, failed: number}} counts
 */
function writeReport(path, counts) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(counts))
}
