import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { readFlags } from '../../files/open-regular-file.ts'
import { maxFileBytes } from './search.ts'
import { type SearchableBytes, toSearchable } from './searchable-bytes.js'

const headBytes = 8_192

/**
 * Says whether a file is binary, from its head. A file that cannot be read is none.
 *
 * @param isLocal - it lies on a disk of this machine: then to ask another thread would cost more than to read it here.
 */
export async function isBinaryFile(path: string, isLocal: boolean): Promise<boolean> {
  const head = isLocal ? loadHere(path) : await loadSearchable(path, headBytes)
  return head?.isBinary === true
}

function loadHere(path: string): SearchableBytes | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, readFlags)
    if (!fstatSync(descriptor).isFile()) return undefined
    const bytes = Buffer.from(new ArrayBuffer(headBytes))
    return toSearchable(bytes.subarray(0, readSync(descriptor, bytes, 0, headBytes, 0)))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Loads the start of a file. Undefined for what is not searched: not readable, or no regular file. */
export async function loadSearchable(path: string, limit: number = maxFileBytes): Promise<SearchableBytes | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, readFlags)
    const stat = await handle.stat()
    if (!stat.isFile()) return undefined
    const bytes = Buffer.from(new ArrayBuffer(Math.min(stat.size, limit)))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
    return toSearchable(bytes.subarray(0, bytesRead))
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
