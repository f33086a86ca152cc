import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { noteError } from './note-code.ts'

const maxBytes = 1_048_576

// a link is not followed, and opening a pipe does not wait for its other end
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Appends a line to a file, and makes the file where there is none.
 *
 * @throws ToolError with one of `noteCodes`.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const file = await openForAppend(path)
  try {
    const status = await file.stat()
    if (!status.isFile()) throw noteError('not_a_file', 'NOTES.md is no file')
    if (status.size > maxBytes) throw noteError('notes_full', 'NOTES.md is full; ask the person to tidy it up')
    await writeLine(file, line)
  } finally {
    await file.close()
  }
}

async function openForAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, flags, 0o644)
  } catch (cause) {
    if (isRefusedKind(cause)) throw noteError('not_a_file', 'NOTES.md is no file', cause)
    throw noteError('unwritable', 'NOTES.md cannot be written', cause)
  }
}

async function writeLine(file: FileHandle, line: string): Promise<void> {
  try {
    await file.appendFile(`${line}\n`)
  } catch (cause) {
    throw noteError('unwritable', 'NOTES.md cannot be written', cause)
  }
}

/** A link, a folder, or a pipe that nobody reads. */
function isRefusedKind(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ELOOP' || code === 'EMLINK' || code === 'EISDIR' || code === 'ENXIO'
}
