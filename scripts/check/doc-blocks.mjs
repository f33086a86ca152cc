/** Every export of a door is documented where it is declared. */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { listPackages } from '../bootstrap/workspace.mjs'
import { listDoors } from './import-graph.mjs'
import { readSource } from './source-file.mjs'

/** @typedef {import('./source-file.mjs').SourceFile} SourceFile */
/** @typedef {import('./source-file.mjs').Node} Node */

/**
 * Finds exports of doors whose declaration has no doc block right above it. A door without a file is left to `boundaries`.
 *
 * @param {string} root
 * @returns {string[]} one line per export.
 */
export function checkDocBlocks(root) {
  const doors = listPackages(root)
    .flatMap(listDoors)
    .filter(({ source }) => existsSync(join(root, source)))
  const problems = doors.flatMap(({ source }) => {
    const exports = readSource(root, source).body.filter(
      (node) => node.type === 'ExportNamedDeclaration' && node.source,
    )
    return exports.flatMap((node) => {
      const owner = readSource(root, posix.join(posix.dirname(source), node.source.value))
      return node.specifiers.flatMap((/** @type {Node} */ { local }) => missing(owner, local.name))
    })
  })
  return [...new Set(problems)]
}

/**
 * @param {SourceFile} owner
 * @param {string} name
 * @returns {string[]}
 */
function missing(owner, name) {
  const statement = owner.body.find((node) => declaredNames(node.declaration ?? node).includes(name))
  if (!statement) return [`${owner.path}: does not declare ${name}`]
  return isDocumented(owner, statement)
    ? []
    : [`${owner.path}:${owner.lineAt(statement.start)}: ${name} has no doc block`]
}

/** @param {Node} node @returns {string[]} */
function declaredNames(node) {
  if (node.type === 'VariableDeclaration') return node.declarations.map((/** @type {Node} */ { id }) => id.name)
  return node.id?.name ? [node.id.name] : []
}

/**
 * @param {SourceFile} owner
 * @param {Node} statement
 */
function isDocumented({ text, comments }, statement) {
  return comments.some(
    ({ type, value, end }) =>
      type === 'Block' &&
      value.startsWith('*') &&
      end <= statement.start &&
      text.slice(end, statement.start).trim() === '',
  )
}
