import { execFile } from 'node:child_process'
import { close, constants, open } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

const openFile = promisify(open)
const closeFile = promisify(close)
const run = promisify(execFile)

/** A pipe: what a child writes to one end comes out of the other. */
export interface Pipe {
  readonly output: Readable
  /** For the child. */
  readonly writeEnd: number
  /** Closes this process's copy of the end that the child has. */
  closeWriteEnd(): Promise<void>
}

/**
 * Makes a real pipe. What Node.js gives a child is a socket, which cannot be opened by name: `> /dev/stdout` and
 * `tee /dev/stderr` fail in it. A pipe with a name is made, opened at both ends, and its name is gone before anything runs.
 *
 * @returns undefined where that cannot be done; then a socket has to do.
 */
export async function openPipe(): Promise<Pipe | undefined> {
  let folder: string | undefined
  let readEnd: number | undefined
  try {
    folder = await mkdtemp('/tmp/looprig-pipe-')
    const path = join(folder, 'pipe')
    await run('/usr/bin/mkfifo', ['-m', '600', path], { env: {}, cwd: '/', timeout: 5_000 })
    // the end that is read must not wait for a writer; the other one is the child's and has to wait
    readEnd = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writeEnd = await openFile(path, constants.O_WRONLY)
    const output = new Socket({ fd: readEnd, readable: true, writable: false })
    readEnd = undefined
    return { output, writeEnd, closeWriteEnd: () => closeFile(writeEnd) }
  } catch {
    return undefined
  } finally {
    if (readEnd !== undefined) await closeFile(readEnd)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}
