/** A source, parsed: what it imports, and its tree. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

/** @typedef {{type: string, start: number, end: number, [key: string]: any}} Node a node of oxc's ESTree; its members depend on its type. */
/** @typedef {{specifier: string, line: number}} Import */

/**
 * @typedef {object} SourceFile
 * @property {string} path relative to the root, with `/`.
 * @property {string} text
 * @property {readonly Node[]} body the top-level statements.
 * @property {readonly {type: string, value: string, start: number, end: number}[]} comments
 * @property {readonly Import[]} imports in order: static, type-only, dynamic and worker URLs alike.
 * @property {(offset: number) => number} lineAt
 */

/**
 * Reads and parses one file.
 *
 * @param {string} root
 * @param {string} path relative to the root.
 * @returns {SourceFile}
 * @throws {SyntaxError} when it does not parse.
 */
export function readSource(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  const { program, comments, errors } = parseSync(path, text, { sourceType: 'module', lang: 'ts' })
  if (errors[0]) throw new SyntaxError(`${path}: ${errors[0].message}`)
  /** @param {number} offset */
  const lineAt = (offset) => text.slice(0, offset).split('\n').length
  const body = /** @type {Node[]} */ (/** @type {unknown} */ (program.body))
  const imports = body.flatMap((node) => importsBelow(node, lineAt))
  return { path, text, body, comments, imports, lineAt }
}

/**
 * Lists the TypeScript and JavaScript files below a folder, in a fixed order; none where the folder is missing.
 *
 * @param {string} root
 * @param {string} folder relative to the root, with `/`.
 * @returns {string[]}
 */
export function listSources(root, folder) {
  try {
    const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    const files = entries.filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    const start = join(root, '/').length
    return files.map((entry) => join(entry.parentPath, entry.name).slice(start).replaceAll('\\', '/')).sort()
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Visits a node and everything below it, parents first.
 *
 * @param {Node} node
 * @param {(node: Node) => void} visit
 */
export function walk(node, visit) {
  visit(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit)
    }
  }
}

/**
 * The text of a string literal or of a template without expressions.
 *
 * @param {Node | null | undefined} node
 * @returns {string | undefined}
 */
export function literalText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked
  return undefined
}

/**
 * @param {Node} statement
 * @param {(offset: number) => number} lineAt
 */
function importsBelow(statement, lineAt) {
  /** @type {Import[]} */
  const found = []
  walk(statement, (node) => {
    const specifier = literalText(importedFrom(node))
    if (specifier !== undefined) found.push({ specifier, line: lineAt(node.start) })
  })
  return found
}

/**
 * The node that names the module, for each form of import.
 *
 * @param {Node} node
 * @returns {Node | undefined}
 */
function importedFrom(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source
    case 'TSExternalModuleReference':
      return node.expression
    case 'CallExpression':
      return node.callee.name === 'require' ? node.arguments[0] : undefined
    case 'NewExpression':
      return node.callee.name === 'URL' && node.arguments.length === 2 ? node.arguments[0] : undefined
    default:
      return undefined
  }
}
