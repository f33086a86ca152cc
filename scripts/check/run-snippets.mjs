/** Runs the programs of Markdown texts and compares what they print with what the text says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithOxc } from 'vite'
import { runCommand } from './run-tool.mjs'

/** @typedef {{name: string, text: string, printed: string}} Program `name` is a `.ts` file; `printed` is its whole stdout. */

/**
 * Runs programs where they can import the built packages, each in a process of its own.
 *
 * @param {string} folder that of the snippets, in which the packages are installed.
 * @param {readonly Program[]} programs
 * @returns {Promise<string[]>} one line per problem.
 */
export async function runSnippets(folder, programs) {
  const target = join(folder, 'run')
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'package.json'), '{"type":"module"}')
  const problems = await Promise.all(
    programs.map(async ({ name, text, printed }) => {
      const file = join(target, name.replace(/\.ts$/, '.mjs'))
      const { code } = await transformWithOxc(text, name, { target: 'node20', sourcemap: false })
      writeFileSync(file, code)
      const expect = (/** @type {string} */ stdout) =>
        stdout === printed ? undefined : `${name}: it does not print what the text says`
      const wrong = await runCommand(process.execPath, [file], { cwd: target, expect })
      return wrong.length > 0 ? [`${name}: the program failed`, ...wrong] : []
    }),
  )
  return problems.flat()
}
