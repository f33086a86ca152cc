/** `docs/evidence.json`: each promise and the test that proves it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { literalText, readSource, walk } from './source-file.mjs'

/** @typedef {import('./source-file.mjs').Node} Node */

/**
 * Checks that each named file has a test of the named title. A value is `file > test name`, or a list of such texts;
 * the name is the title of the test, with or without those of its describes in front.
 *
 * @param {string} root
 * @returns {string[]} one line per problem; none while the file does not exist.
 */
export function checkEvidence(root) {
  const path = join(root, 'docs', 'evidence.json')
  if (!existsSync(path)) return []
  const claims = Object.entries(JSON.parse(readFileSync(path, 'utf8')))
  /** @type {Map<string, readonly string[]>} */
  const titles = new Map()
  return claims.flatMap(([id, value]) =>
    [value].flat().flatMap((claim) => {
      const [, file, name] = /^(\S+) > (.+)$/.exec(String(claim)) ?? []
      if (file === undefined || name === undefined) return [`${id}: ${claim} is not "file > test name"`]
      if (!existsSync(join(root, file))) return [`${id}: ${file} does not exist`]
      const known = titles.get(file) ?? testTitles(root, file)
      titles.set(file, known)
      return known.some((title) => title === name || title.endsWith(` > ${name}`))
        ? []
        : [`${id}: ${file} has no test "${name}"`]
    }),
  )
}

/**
 * Lists the tests of a file as `describe > ... > title`.
 *
 * @param {string} root
 * @param {string} file
 */
function testTitles(root, file) {
  const calls = readSource(root, file).body.flatMap(titledCalls)
  const suites = calls.filter(({ kind }) => kind === 'describe')
  return calls.flatMap(({ kind, title, start, end }) => {
    if (kind === 'describe') return []
    const around = suites.filter((suite) => suite.start < start && end <= suite.end)
    return [[...around.map((suite) => suite.title), title].join(' > ')]
  })
}

/** @param {Node} statement */
function titledCalls(statement) {
  /** @type {{kind: string, title: string, start: number, end: number}[]} */
  const found = []
  walk(statement, (node) => {
    if (node.type !== 'CallExpression') return
    const kind = calledName(node.callee)
    const title = literalText(node.arguments[0])
    if (title !== undefined && /^(it|test|describe)$/.test(kind))
      found.push({ kind, title, start: node.start, end: node.end })
  })
  return found
}

/**
 * The first name of `it`, `it.skipIf(...)`, `describe.each(...)` and the like.
 *
 * @param {Node} callee
 * @returns {string}
 */
function calledName(callee) {
  if (callee.type === 'Identifier') return callee.name
  return callee.object || callee.callee ? calledName(callee.object ?? callee.callee) : ''
}
