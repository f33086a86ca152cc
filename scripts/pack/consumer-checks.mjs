/** What is done with the packed packages where they are installed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../check/run-tool.mjs'
import { checkContents } from './check-contents.mjs'

/** @typedef {import('../bootstrap/workspace.mjs').Package} Package */
/** @typedef {{copy: string, consumer: string, signal: AbortSignal}} Places the copied package, and a project that has all. */

/**
 * @param {readonly Package[]} packages
 * @param {Places} places
 * @returns {import('./run-pack-check.mjs').Check[]} none needs another.
 */
export function consumerChecks(packages, places) {
  const { copy, consumer } = places
  const files = ['consumer.ts', 'every-door.ts']
  return [
    [
      'contents',
      () => packages.flatMap(({ manifest }) => checkContents(join(consumer, 'node_modules', manifest.name))),
    ],
    ['own tests', () => runNode(copy, ['node_modules/vitest/vitest.mjs', 'run'], places, hasPassed)],
    ['own types', () => runNode(copy, [...tsc, '-p', 'tsconfig.json'], places)],
    ['doors', () => runNode(consumer, ['doors.mjs'], places)],
    ['every door', () => runNode(consumer, ['every-door.mjs'], places)],
    ['nodenext', () => runNode(consumer, [...tsc, ...strict, '--module', 'nodenext', ...files], places)],
    [
      'bundler',
      () =>
        runNode(consumer, [...tsc, ...strict, '--module', 'esnext', '--moduleResolution', 'bundler', ...files], places),
    ],
  ]
}

const tsc = ['node_modules/typescript/bin/tsc']
const strict = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
  'false',
  '--target',
  'es2023',
  '--lib',
  'es2023,esnext.disposable',
  '--types',
  'node',
]

/** The doors whose types are made of those of an optional peer: there is no use of them without it. */
const typesNeedPeer = ['@looprig/core/testing']

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 * @param {Places} places
 * @param {(stdout: string) => string | undefined} [expect]
 */
function runNode(cwd, args, { signal }, expect) {
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' }
  return runCommand(process.execPath, args, { cwd, env, signal, ...(expect && { expect }) })
}

/** @param {string} stdout */
function hasPassed(stdout) {
  return /Tests\s+\d+ passed/.test(stdout) ? undefined : 'no test has passed'
}

/**
 * Writes a program that loads every door both ways, without any optional peer being there, and a module that names the
 * types of each.
 *
 * @param {readonly Package[]} packages
 * @param {string} consumer
 */
export function writeEveryDoor(packages, consumer) {
  const doors = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((door) => `${manifest.name}${door.slice(1)}`),
  )
  const program = [
    `import { createRequire } from 'node:module'`,
    'const require = createRequire(import.meta.url)',
    `for (const door of ${JSON.stringify(doors)}) {`,
    '  const [imported, required] = [await import(door), require(door)]',
    '  if (Object.keys(imported).join() !== Object.keys(required).join()) throw new Error(door)',
    '}',
  ]
  writeFileSync(join(consumer, 'every-door.mjs'), program.join('\n'))
  const typed = doors.filter((door) => !typesNeedPeer.includes(door))
  const module = [
    ...typed.map((door, index) => `import type * as door${index} from '${door}'`),
    `export type Doors = [${typed.map((_door, index) => `typeof door${index}`).join(', ')}]`,
  ]
  writeFileSync(join(consumer, 'every-door.ts'), module.join('\n'))
}
