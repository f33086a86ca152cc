import { parse } from 'node:path'
import { workspaceError } from '../codes.ts'
import { noiseFolders } from '../noise.ts'
import { clipLine } from './clip-line.ts'
import { JsonRecordReader } from './json-record.ts'
import { RipgrepDiagnostics } from './ripgrep-diagnostics.ts'
import { type RipgrepProcess, startRipgrep } from './ripgrep-process.ts'
import { type RipgrepLine, readRipgrepRecord } from './ripgrep-record.ts'
import { type FileMatches, type FoundLine, maxFileBytes, maxMatches, type SearchRequest } from './search.ts'
import { isBinaryFile, loadSearchable } from './searchable-file.ts'

/** Ripgrep is not there, or is one that cannot do what is asked of it. */
export class RipgrepUnusableError extends Error {
  override readonly name = 'RipgrepUnusableError'
}

/**
 * Searches with ripgrep.
 *
 * @param onSkipped - gets the names of the noise folders that were met.
 * @throws RipgrepUnusableError when it cannot be used, ToolError `invalid_pattern` when it refuses the pattern, the
 *   signal's reason when it is aborted. The process is gone in each case, also when the caller stops early.
 */
export async function* searchWithRipgrep(
  program: string,
  request: SearchRequest,
  onSkipped: (name: string) => void,
): AsyncGenerator<FileMatches> {
  request.signal.throwIfAborted()
  const diagnostics = new RipgrepDiagnostics(request.guard)
  const child = await startRipgrep(program, ripgrepArguments(request), {
    cwd: parse(request.path).root,
    signal: request.signal,
    onDiagnostics: (chunk) => diagnostics.push(chunk),
  })
  if (child === undefined) throw new RipgrepUnusableError()
  try {
    yield* readFiles(child, request.isLocal)
    const exitCode = await child.end
    diagnostics.end()
    checkEnd(exitCode, diagnostics.errorText, request.signal)
  } finally {
    child.kill()
    await child.end
    for (const name of diagnostics.skipped) onSkipped(name)
  }
}

function ripgrepArguments({ path, pattern, recursive, contextLines, includeNoise }: SearchRequest): string[] {
  return [
    '--json',
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--no-messages',
    '--text', // what is binary is decided here, for both engines alike
    '--crlf',
    ...['--sort', 'path'],
    ...['--max-filesize', String(maxFileBytes)],
    ...['--max-count', String(maxMatches + 1)],
    ...['--context', String(contextLines)],
    ...(recursive ? [] : ['--max-depth', '1']),
    // the debug output tells which folders were met: there is no other way to learn it without a second walk
    ...(includeNoise ? [] : ['--debug', ...[...noiseFolders].flatMap((name) => ['--glob', `!${name}/`])]),
    ...['--regexp', pattern.rust],
    ...['--', path],
  ]
}

async function* readFiles(child: RipgrepProcess, isLocal: boolean): AsyncGenerator<FileMatches> {
  const reader = new JsonRecordReader()
  let file = new FileCollector(isLocal)
  for await (const chunk of child.output) {
    for (const record of reader.push(chunk).map(readRipgrepRecord)) {
      if (record === undefined) continue
      if (record.type === 'match' || record.type === 'context') await file.add(record)
      else if (record.type === 'begin') file = new FileCollector(isLocal)
      else {
        const matches = file.matches()
        if (matches !== undefined) yield matches
      }
    }
  }
}

/** The most lines of one file: each match with 20 lines before and after. */
const maxFileLines = (maxMatches + 1) * 41

/** Collects the lines of one file. */
class FileCollector {
  readonly #lines: FoundLine[] = []
  #path: string | undefined
  #isBinary = false
  /** The decoded file, loaded when a line is too long for its record. */
  #content: Buffer | undefined
  readonly #isLocal: boolean

  constructor(isLocal: boolean) {
    this.#isLocal = isLocal
  }

  async add(record: RipgrepLine): Promise<void> {
    if (record.path === undefined) return
    if (this.#path === undefined) {
      this.#path = record.path
      this.#isBinary = await isBinaryFile(record.path, this.#isLocal)
    }
    if (this.#isBinary || this.#lines.length === maxFileLines) return
    const bytes = record.isCut ? await this.#wholeLine(record) : record.bytes
    // the match starts between two characters, so the text before it has as many as in the line
    const matchStart = bytes.toString('utf8', 0, record.matchStart).length
    const text = clipLine(bytes.toString('utf8'), matchStart)
    this.#lines.push({ line: record.line, text, isMatch: record.type === 'match' })
  }

  matches(): FileMatches | undefined {
    if (this.#path === undefined) return undefined
    return { path: this.#path, isBinary: this.#isBinary, lines: this.#lines }
  }

  async #wholeLine({ path, offset, bytes }: RipgrepLine): Promise<Buffer> {
    this.#content ??= (await loadSearchable(path ?? ''))?.bytes
    if (this.#content === undefined) return bytes
    const feed = this.#content.indexOf('\n', offset)
    return this.#content.subarray(offset, feed === -1 ? undefined : feed)
  }
}

/** 0 is a match, 1 none; 2 without a message only says that some file could not be read. */
function checkEnd(exitCode: number | null, errorText: string, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (exitCode === 0 || exitCode === 1) return
  if (exitCode === 2 && errorText === '') return
  if (exitCode === 2 && /regex/i.test(errorText)) {
    throw workspaceError('invalid_pattern', 'invalid pattern: ripgrep refuses it')
  }
  throw new RipgrepUnusableError()
}
