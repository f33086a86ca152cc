/** Reads rules: a permission file, or the short notation of rule sets. */
import { posix } from 'node:path'
import { UsageError } from '../wire/usage-error.mjs'
import { readText } from './read-text.mjs'

/** @typedef {import('../../packages/tools/src/permission.ts').PermissionRule} PermissionRule */
/** @typedef {import('../../packages/tools/src/permission.ts').RuleMatch} RuleMatch */
/** @typedef {typeof import('../../packages/tools/src/permission.ts')} Door */

/**
 * Reads a file of rules.
 *
 * @param {string} file
 * @param {{folder: string, directory: string, set: string | undefined, door: Door}} context
 * @returns {Promise<readonly PermissionRule[]>}
 * @throws {UsageError}
 */
export async function readRules(file, { folder, directory, set, door }) {
  const text = await readText(file, folder)
  /** @type {unknown} */
  let json
  try {
    json = JSON.parse(text)
  } catch {
    throw new UsageError(`${file}: is not JSON`)
  }
  if (isRecord(json) && 'version' in json) return readPermissions(file, text, door)
  const entry = pickEntry(file, json, set)
  const rules = [
    ...readEffect(file, entry, 'allow'),
    ...readEffect(file, entry, 'deny'),
    ...readWrites(file, entry, directory),
  ]
  try {
    return door.readDocument(door.writeDocument(rules))
  } catch (error) {
    throw describe(file, error)
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @param {Door} door
 */
function readPermissions(file, text, door) {
  try {
    return door.readDocument(text)
  } catch (error) {
    throw describe(file, error)
  }
}

/**
 * @param {string} file
 * @param {unknown} json
 * @param {string | undefined} set
 * @returns {Record<string, unknown>}
 */
function pickEntry(file, json, set) {
  if (!isRecord(json)) throw new UsageError(`${file}: is no object of rules`)
  if (set === undefined && ('allow' in json || 'deny' in json || 'write' in json)) return json
  const names = Object.keys(json).filter((name) => isRecord(json[name]))
  const name = set ?? (names.length === 1 ? names[0] : undefined)
  const entry = name === undefined || !Object.hasOwn(json, name) ? undefined : json[name]
  if (isRecord(entry)) return entry
  if (names.length === 0) throw new UsageError(`${file}: has neither "version" nor "allow", "deny" or "write"`)
  throw new UsageError(`${file}: has several rule sets: choose one with --set (${names.join(', ')})`)
}

/**
 * @param {string} file
 * @param {Record<string, unknown>} entry
 * @param {'allow' | 'deny'} effect
 * @returns {PermissionRule[]}
 */
function readEffect(file, entry, effect) {
  const unknown = Object.keys(entry).find((key) => !['about', 'allow', 'deny', 'write'].includes(key))
  if (unknown !== undefined) throw new UsageError(`${file}: ${JSON.stringify(unknown)} is not known`)
  const listed = entry[effect] ?? []
  if (!Array.isArray(listed)) throw new UsageError(`${file}: "${effect}" must be a list`)
  return listed.map((rule, index) => ({ effect, match: readMatch(rule, `${file}: ${effect}[${index}]`) }))
}

/**
 * @param {unknown} rule
 * @param {string} where
 * @returns {RuleMatch}
 */
function readMatch(rule, where) {
  if (isRecord(rule) && Object.keys(rule).length === 1) {
    const { tokens, exact, wildcard } = rule
    if (wildcard === true) return { kind: 'wildcard' }
    if (typeof exact === 'string') return { kind: 'exact', command: exact }
    if (Array.isArray(tokens) && tokens.every((token) => typeof token === 'string')) return { kind: 'family', tokens }
  }
  throw new UsageError(`${where}: give {"tokens": [...]}, {"exact": "..."} or {"wildcard": true}`)
}

/**
 * Files that may be written; those below a folder when the name ends in a slash.
 *
 * @param {string} file
 * @param {Record<string, unknown>} entry
 * @param {string} directory
 * @returns {PermissionRule[]}
 */
function readWrites(file, entry, directory) {
  const listed = entry.write ?? []
  if (!Array.isArray(listed)) throw new UsageError(`${file}: "write" must be a list`)
  return listed.map((name, index) => {
    if (typeof name !== 'string' || name === '') throw new UsageError(`${file}: write[${index}] must be a path`)
    const path = posix.resolve(directory, name)
    return {
      effect: 'allow',
      match: name.endsWith('/')
        ? { kind: 'tree', access: 'write', root: path }
        : { kind: 'path', access: 'write', path },
    }
  })
}

/**
 * @param {string} file
 * @param {unknown} error
 * @returns {UsageError}
 */
function describe(file, error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}${cause}`)
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
