/** Stamps in `.looprig`: what the last complete install or build was made from. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Hashes files by path and content. A folder stands for all files below it; what is not there counts as absent.
 *
 * @param {string} root
 * @param {readonly string[]} paths relative to the root.
 * @param {string} salt what else the result depends on.
 * @returns {string} SHA-256, in hexadecimal.
 */
export function hashFiles(root, paths, salt) {
  const hash = createHash('sha256').update(`${salt}\0`)
  for (const path of paths.flatMap((each) => filesBelow(root, each))) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/**
 * Reads a stamp; an empty text where there is none.
 *
 * @param {string} path
 */
export function readStamp(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Replaces a stamp at once, so that nobody reads half of it. An empty text removes it.
 *
 * @param {string} path
 * @param {string} text
 */
export function writeStamp(path, text) {
  if (text === '') return rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}-${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(root, path) {
  try {
    const entries = readdirSync(join(root, path), { withFileTypes: true })
    const names = entries.map((entry) => ({ below: `${path}/${entry.name}`, isFolder: entry.isDirectory() }))
    names.sort((a, b) => (a.below < b.below ? -1 : 1))
    return names.flatMap(({ below, isFolder }) => (isFolder ? filesBelow(root, below) : [below]))
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'ENOTDIR') return [path]
    if (code === 'ENOENT') return []
    throw error
  }
}
