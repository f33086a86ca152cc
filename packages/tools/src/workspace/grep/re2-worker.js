/**
 * Searches files with re2js, away from the main thread, so that reading may block and a slow pattern can be killed.
 * Plain JavaScript, so that it runs from the source and from the build. Each message asks for the next file that
 * matches; the answer is that file, or undefined when there are no more.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { RE2JS } from 're2js'
import { toSearchable } from './searchable-bytes.js'

const lineFeed = 10

/** @type {import('./worker-protocol.ts').WorkerInput} */
const { paths, source, literal, readFlags, maxFileBytes, maxLines } = workerData
const pattern = RE2JS.compile(source)
const literalBytes = literal === undefined ? undefined : Buffer.from(literal.text)
let nextPath = 0

parentPort?.on('message', () => {
  const found = nextMatchingFile()
  parentPort?.postMessage(found, found === undefined ? [] : [found.bytes.buffer])
})

/** @returns {import('./worker-protocol.ts').WorkerOutput} */
function nextMatchingFile() {
  while (nextPath < paths.length) {
    const path = paths[nextPath] ?? ''
    nextPath += 1
    const file = load(path)
    if (file === undefined) continue
    const matches = search(file.bytes, file.isBinary ? 1 : maxLines)
    if (matches.length > 0) return { path, isBinary: file.isBinary, bytes: file.bytes, matches }
  }
  return undefined
}

/**
 * Loads a file. Undefined for what is not searched: not readable, no regular file, or too large.
 *
 * @param {string} path
 */
function load(path) {
  let descriptor
  try {
    descriptor = openSync(path, readFlags)
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > maxFileBytes) return undefined
    const bytes = Buffer.from(new ArrayBuffer(stat.size))
    return toSearchable(bytes.subarray(0, readSync(descriptor, bytes, 0, stat.size, 0)))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * Finds the first lines that match.
 *
 * @param {Buffer} bytes
 * @param {number} limit
 * @returns {import('./worker-protocol.ts').LineMatch[]}
 */
function search(bytes, limit) {
  const candidate = candidateFinder(bytes)
  const matches = []
  let line = 1
  let countedTo = 0
  for (let at = candidate(0); at !== -1 && matches.length < limit; ) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1
    const feed = bytes.indexOf(lineFeed, at)
    const end = feed === -1 ? bytes.length : feed
    const matchStart = matchLine(bytes.subarray(start, end))
    if (matchStart !== -1) {
      line += countLineFeeds(bytes, countedTo, start)
      countedTo = start
      matches.push({ line, start, end, matchStart })
    }
    at = end + 1 < bytes.length ? candidate(end + 1) : -1
  }
  return matches
}

/**
 * Gives the next place from an offset on that may be in a matching line, or -1: most files need no regular expression.
 *
 * @param {Buffer} bytes
 * @returns {(from: number) => number}
 */
function candidateFinder(bytes) {
  if (bytes.length === 0) return () => -1
  if (literalBytes === undefined) return (from) => from
  const folded = literal?.foldCase ? Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1') : bytes
  return (from) => folded.indexOf(literalBytes, from)
}

/**
 * Where a line first matches, in characters, or -1. A match never spans a carriage return or bytes that are no UTF-8:
 * the line is matched piece by piece between them, as ripgrep does.
 *
 * @param {Buffer} bytes
 * @returns {number}
 */
function matchLine(bytes) {
  const line = bytes.toString('utf8')
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  const breaks = isUtf8(bytes) ? '\r' : /[\r\ufffd]/
  let offset = 0
  for (const piece of text.split(breaks)) {
    if (pattern.test(piece)) {
      const matcher = pattern.matcher(piece)
      matcher.find()
      return offset + matcher.start()
    }
    offset += piece.length + 1
  }
  return -1
}

/**
 * @param {Buffer} bytes
 * @param {number} from
 * @param {number} to
 * @returns {number}
 */
function countLineFeeds(bytes, from, to) {
  let count = 0
  for (let at = bytes.indexOf(lineFeed, from); at !== -1 && at < to; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  return count
}
