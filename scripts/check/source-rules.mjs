/** Rules for one source by itself: its name, its size, its types and its reach into the environment. */
import { walk } from './source-file.mjs'

/** @typedef {import('./source-file.mjs').SourceFile} SourceFile */
/** @typedef {import('./source-file.mjs').Node} Node */

const maxLines = 400
const vagueName = /(^|\/)(utils?|helpers?|types|common)(\.[^/]*)?(\/|$)/

/**
 * Checks one source.
 *
 * @param {SourceFile} file
 * @returns {string[]} one line per problem.
 */
export function checkSource(file) {
  const { path, text } = file
  const lines = text.split('\n').length - 1
  /** @type {string[]} */
  const problems = []
  if (vagueName.test(path.slice(path.indexOf('/src/')))) problems.push(`${path}: name the concept instead`)
  if (lines > maxLines) problems.push(`${path}: ${lines} lines; over ${maxLines} there is a second concept in it`)
  const isExample = path.startsWith('examples/')
  for (const statement of file.body) {
    walk(statement, (node) => {
      const problem = looseType(node) ?? (isExample ? undefined : environmentRead(node))
      if (problem) problems.push(`${path}:${file.lineAt(node.start)}: ${problem}`)
    })
  }
  return problems
}

/** @param {Node} node */
function looseType(node) {
  if (node.type === 'TSAnyKeyword') return 'the type any'
  if (node.type === 'TSNonNullExpression') return 'a non-null assertion'
  return undefined
}

/** @param {Node} node */
function environmentRead(node) {
  const reads =
    (node.type === 'MemberExpression' && nameOf(node.property) === 'env' && isProcess(node.object)) ||
    (node.type === 'VariableDeclarator' && isProcess(node.init) && takesEnv(node.id)) ||
    (node.type === 'ImportSpecifier' && nameOf(node.imported) === 'env')
  return reads ? 'only examples and scripts read the environment' : undefined
}

/** @param {Node | null} node */
function isProcess(node) {
  return nameOf(node) === 'process' || (node?.type === 'MemberExpression' && nameOf(node.property) === 'process')
}

/** @param {Node} pattern */
function takesEnv(pattern) {
  return (
    pattern.type === 'ObjectPattern' && pattern.properties.some((/** @type {Node} */ { key }) => nameOf(key) === 'env')
  )
}

/**
 * The name of an identifier, or the text of a literal used as one.
 *
 * @param {Node | null | undefined} node
 */
function nameOf(node) {
  return node?.type === 'Literal' ? node.value : node?.name
}
