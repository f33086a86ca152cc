/** What is inside of a packed package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Looks at an installed package: it holds its doors and its declarations, and nothing of the workspace.
 *
 * @param {string} folder
 * @returns {string[]} one line per problem.
 */
export function checkContents(folder) {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { name, exports = {} } = JSON.parse(text)
  const wrong = ['workspace:', 'looprig-source', 'catalog:'].filter((word) => text.includes(word))
  const extra = readdirSync(folder).filter(
    (file) => !/^(dist|package\.json|README\.md|LICENSE.*|node_modules)$/.test(file),
  )
  const missing = Object.values(exports)
    .flatMap(({ types, default: code }) => [types, code])
    .filter((path) => path === undefined || !existsSync(join(folder, path)))
  return [
    ...wrong.map((word) => `${name}: its package.json still says ${word}`),
    ...extra.map((file) => `${name}: ${file} should not be packed`),
    ...missing.map((path) => `${name}: ${path} is named by a door and not there`),
    ...(existsSync(join(folder, 'README.md')) ? [] : [`${name}: has no README.md`]),
  ]
}
