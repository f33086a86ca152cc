/** The TypeScript blocks of the READMEs and the tutorial, type-checked as a user of the packages would write them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeReady } from '../bootstrap/set-up.mjs'
import { listPackages } from '../bootstrap/workspace.mjs'
import { runSnippets } from './run-snippets.mjs'
import { runTool } from './run-tool.mjs'

/**
 * @typedef {object} Snippet
 * @property {number} line that of the first line of code, counted from 1.
 * @property {string} code
 * @property {string} [printed] what the program prints; nothing for a block that is only compiled.
 */

const tutorial = 'docs/tutorial'

/**
 * Extracts the blocks of all READMEs and of the tutorial into `.looprig/snippets`, compiles them there, and runs those
 * that are programs.
 *
 * @param {string} root
 * @param {(root: string) => Promise<void>} prepare builds the packages, for programs to import.
 * @returns {Promise<string[]>} one line per problem.
 */
export async function checkSnippets(root, prepare = makeReady) {
  const readmes = ['README.md', ...listPackages(root).map(({ folder }) => `${folder}/README.md`)]
  const present = [...readmes.filter((path) => existsSync(join(root, path))), ...tutorialPages(root)]
  const found = present.map((path) => ({ path, ...extractSnippets(readFileSync(join(root, path), 'utf8')) }))
  const problems = found.flatMap(({ path, problems }) => problems.map((problem) => `${path}:${problem}`))
  const files = found.flatMap(({ path, snippets }) =>
    snippets.map(({ line, code, printed }) => ({
      name: `${path.replaceAll('/', '--')}--${line}.ts`,
      text: '\n'.repeat(line - 1) + code,
      printed,
    })),
  )
  if (files.length === 0) return problems
  const folder = join(root, '.looprig', 'snippets')
  writeProject(root, folder, files)
  problems.push(...(await runTool(root, 'typescript/bin/tsc', ['-p', folder])))
  const programs = files.flatMap(({ printed, ...file }) => (printed === undefined ? [] : [{ ...file, printed }]))
  if (problems.length > 0 || programs.length === 0) return problems
  await prepare(root)
  return runSnippets(folder, programs)
}

/** @param {string} root */
function tutorialPages(root) {
  if (!existsSync(join(root, tutorial))) return []
  const pages = readdirSync(join(root, tutorial)).filter((name) => name.endsWith('.md'))
  return pages.sort().map((name) => `${tutorial}/${name}`)
}

/**
 * Finds the fenced `ts` blocks of a Markdown text. A block that cannot compile says so, and why, after
 * the language: `ts no-check: REASON`. A program says `ts run`; what it prints is the next block, a `text`.
 *
 * @param {string} markdown
 * @returns {{snippets: Snippet[], problems: string[]}} each problem starts with its line.
 */
export function extractSnippets(markdown) {
  /** @type {Snippet[]} */
  const snippets = []
  /** @type {string[]} */
  const problems = []
  /** @type {{fence: string, info: string, line: number, code: string[]} | undefined} */
  let open
  /** @type {Snippet | undefined} the program whose output has not come yet. */
  let running
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/.exec(text) ?? []
    if (!open) {
      if (fence) open = { fence, info, line: index + 2, code: [] }
    } else if (fence.startsWith(open.fence) && info === '') {
      const kind = kindOf(open.info)
      const code = `${open.code.join('\n')}\n`
      if (running && open.info === 'text') running.printed = code
      else if (running) problems.push(`${running.line - 1}: a program needs a text block behind it: what it prints`)
      running = undefined
      if (kind === 'checked') snippets.push({ line: open.line, code })
      if (kind === 'checked' && /\brun\b/.test(open.info)) running = snippets.at(-1)
      if (kind === 'unreasoned') problems.push(`${open.line - 1}: no-check needs a reason: \`ts no-check: REASON\``)
      open = undefined
    } else {
      open.code.push(text)
    }
  }
  if (open) problems.push(`${open.line - 1}: the code block has no end`)
  else if (running) problems.push(`${running.line - 1}: a program needs a text block behind it: what it prints`)
  return { snippets, problems }
}

/** @param {string} info */
function kindOf(info) {
  if (!/^(ts|typescript)\b/.test(info)) return 'other'
  if (!/\bno-check\b/.test(info)) return 'checked'
  return /\bno-check:\s*\S/.test(info) ? 'excused' : 'unreasoned'
}

/**
 * Lays out a project in which each package is installed under its own name. Lines keep their numbers.
 *
 * @param {string} root
 * @param {string} folder
 * @param {readonly {name: string, text: string}[]} files
 */
function writeProject(root, folder, files) {
  rmSync(folder, { recursive: true, force: true })
  for (const { folder: source, manifest } of listPackages(root)) {
    const link = join(folder, 'node_modules', dirname(manifest.name), basename(manifest.name))
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, source), link, 'junction')
  }
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  const config = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const { name, text } of files) writeFileSync(join(folder, name), text)
}
