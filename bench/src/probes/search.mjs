/** What Glob and Grep cost beside what they stand on: the same search over this project's `node_modules`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createReadGuard, globDefinition, grepDefinition } from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import glob from 'fast-glob'
import { callTool } from './call-tool.mjs'

const workspace = await realpath(fileURLToPath(new URL('../../..', import.meta.url)))
const root = `${workspace}/node_modules`

/** How often the two take turns, after one turn each that is not counted. */
const rounds = 9

/** Searches of one turn: the system counts the time of ended processes in steps of 10 ms. */
const searchesPerTurn = 3

/** The deny list of an assistant, since each path is held against it. */
const readGuard = createReadGuard({
  deny: ['**/.env', '**/.env.*', '!**/.env.example', '**/.ssh/**', '**/id_{rsa,dsa,ecdsa,ed25519}', '**/*.{pem,key}'],
  maxReadBytes: 262_144,
})

const searches = {
  'glob **/package.json': globPair('**/package.json'),
  'glob **/*.{ts,mts,cts}': globPair('**/*.{ts,mts,cts}'),
  'grep isbinaryfile': grepPair('isbinaryfile'),
  // the most hits: what is done for each file that matches shows here
  'grep queueMicrotask': grepPair('queueMicrotask'),
  'grep function\\s+debounce\\w*': grepPair('function\\s+debounce\\w*'),
  'grep, ignoring case': grepPair('looprig|compilesearchpattern', true),
}

/**
 * @param {keyof typeof searches} name
 * @param {number} scale
 */
export async function probe(name, scale) {
  const pair = searches[name]
  const turns = Math.max(2, Math.ceil(rounds / scale))
  const own = []
  const other = []
  await pair.own()
  await pair.other()
  for (let turn = 0; turn < turns; turn += 1) {
    own.push(await cpuMs(pair.own))
    other.push(await cpuMs(pair.other))
  }
  const [ours, theirs] = [median(own), median(other)]
  return [ours / theirs, ours, theirs]
}

function globPair(pattern) {
  const definition = globDefinition({ readGuard })
  const options = { cwd: root, dot: true, onlyFiles: true, followSymbolicLinks: false }
  return {
    own: () => callTool(definition, workspace, { pattern, root: 'node_modules' }),
    other: async () => (await glob(pattern, options)).length,
  }
}

/** The flags are those that Grep gives for a search without anything special. */
function grepPair(pattern, ignoreCase = false) {
  const definition = grepDefinition({ readGuard }, { ripgrep: rgPath })
  const flags =
    '--json --no-config --no-ignore --hidden --no-messages --text --crlf --sort path --max-filesize 33554432 --max-count 201 --context 0'
  return {
    own: () => callTool(definition, workspace, { pattern, path: 'node_modules', ignore_case: ignoreCase }),
    other: () => runRipgrep([...flags.split(' '), '--regexp', `${ignoreCase ? '(?i)' : ''}${pattern}`, '--', root]),
  }
}

async function runRipgrep(args) {
  const child = spawn(rgPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.resume()
  const [exitCode] = await once(child, 'close')
  if (exitCode > 1) throw new Error(`ripgrep ended with ${exitCode}`)
}

/** CPU time of one search, of this process and of those that it started. */
async function cpuMs(search) {
  const before = totalCpuMs()
  for (let index = 0; index < searchesPerTurn; index += 1) await search()
  return (totalCpuMs() - before) / searchesPerTurn
}

function totalCpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + endedChildrenMs()
}

/** The fields behind the name of the program, which may hold anything, are numbers; a tick is 10 ms. */
function endedChildrenMs() {
  if (process.platform !== 'linux') throw new Error('the time of ended processes is read on Linux only')
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
