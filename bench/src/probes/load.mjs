/** What large files, large trees and many edits at once cost the workspace tools, in time and memory. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createReadGuard,
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
} from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import { callTool, callTools } from './call-tool.mjs'

const readGuard = createReadGuard({ deny: ['**/.env', '**/.ssh/**', '**/*.{pem,key}'], maxReadBytes: 262_144 })
const deps = { readGuard }

/** Each makes what it needs in a folder, and gives what does the work. */
const loads = {
  'sparse file of 2 GB': async (root) => {
    await writeFile(join(root, 'f'), '')
    await truncate(join(root, 'f'), 2_000_000_000)
    return async () => {
      const { code } = await callTool(readFileDefinition(deps), root, { path: 'f' }, { mayFail: true })
      check(code === 'binary_file', `the answer is ${code}`)
    }
  },
  'lines near the end of 500 MB': async (root, scale) => {
    const lines = Math.ceil(5_000_000 / scale)
    await writeLines(join(root, 'f'), lines)
    return async () => {
      const args = { path: 'f', start_line: lines - 10 }
      const { content } = await callTool(readFileDefinition(deps), root, args)
      check(content[0].text.startsWith(`${lines - 10}\tline ${lines - 10} `), 'other lines came')
    }
  },
  'Glob in 200,000 files': (root, scale) => treeLoad(root, scale, globDefinition(deps), { pattern: '**/*7.txt' }),
  'Grep in 200,000 files': (root, scale) =>
    treeLoad(root, scale, grepDefinition(deps, { ripgrep: rgPath }), { pattern: 'file 123\\b' }),
  'Grep in 200,000 files, without ripgrep': (root, scale) =>
    treeLoad(root, scale, grepDefinition(deps, { ripgrep: false }), { pattern: 'file 123\\b' }),
  '1,000 edits of 10 files': async (root, scale) => {
    const edits = Math.ceil(100 / scale)
    const slots = Array.from({ length: edits }, (_, index) => `slot ${index}.\n`).join('')
    for (let file = 0; file < 10; file += 1) await writeFile(join(root, `${file}.txt`), slots)
    return () => editAll(root, edits)
  },
}

/**
 * @param {keyof typeof loads} name
 * @param {number} scale
 */
export async function probe(name, scale) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'looprig-load-')))
  try {
    const work = await loads[name](root, scale)
    globalThis.gc()
    const before = process.memoryUsage.rss()
    let peak = before
    const sample = () => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    const sampler = setInterval(sample, 10)
    const startedAt = performance.now()
    await work()
    const seconds = (performance.now() - startedAt) / 1_000
    sample()
    clearInterval(sampler)
    return [seconds, before / 1e6, peak / 1e6]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function writeLines(path, lines) {
  const file = await open(path, 'w')
  for (let line = 1; line <= lines; ) {
    let text = ''
    for (const last = Math.min(lines, line + 9_999); line <= last; line += 1)
      text += `${`line ${line} `.padEnd(99, 'x')}\n`
    await file.write(text)
  }
  await file.close()
}

/** A thousand folders of 200 files. Most are further names of a few files: a disk makes them, and takes them away, sooner. */
async function treeLoad(top, scale, definition, args) {
  const root = join(top, 'tree')
  const contents = join(top, 'contents')
  mkdirSync(contents)
  for (let number = 0; number < 1_200; number += 1) writeFileSync(join(contents, `${number}`), `file ${number}\n`)
  const folders = Math.ceil(1_000 / scale)
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, `group ${folder % 20}`, `folder ${folder}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < 200; file += 1) linkSync(join(contents, `${file + folder}`), join(path, `${file}.txt`))
  }
  return async () => {
    const { details } = await callTool(definition, root, args)
    check((details.files ?? []).length > 0, 'nothing was found')
  }
}

/** All edits are prepared at once, as those of one step are, and run at once. */
async function editAll(root, edits) {
  const calls = []
  const files = Array.from({ length: 10 }, (_, file) => `${file}.txt`)
  const { prepare } = await callTools([readFileDefinition(deps), editFileDefinition(deps)], root)
  for (const path of files) await (await prepare('ReadFile', { path }))()
  for (const path of files) {
    for (let slot = 0; slot < edits; slot += 1) {
      calls.push(prepare('EditFile', { path, old: `slot ${slot}.`, new: `done ${slot}.` }))
    }
  }
  const results = await Promise.all((await Promise.all(calls)).map((run) => run()))
  check(
    results.every(({ isError }) => !isError),
    'an edit failed',
  )
  const expected = Array.from({ length: edits }, (_, index) => `done ${index}.\n`).join('')
  for (const path of files) check((await readFile(join(root, path), 'utf8')) === expected, 'an edit was lost')
}

function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise)
}
