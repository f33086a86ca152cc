import { readFileSync, writeSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { RunnerError } from '../../contract/runner.ts'
import { isSystemError } from '../../files/system-error.ts'
import { pause } from '../group/pause.ts'

/** How much is written at once, and how long to wait where the terminal is full: from, to, in milliseconds. */
const pieceBytes = 4_096
const waitMs = { first: 5, longest: 100 }

/** The bit of `O_NONBLOCK` in what Linux tells of a descriptor. */
const nonBlocking = 0o4000

/**
 * What is typed into a terminal. The package writes in a way that stops the whole host while a program does not read; so
 * the descriptor, which does not wait, is written to directly, piece by piece, as long as the terminal is open.
 */
export class TerminalInput {
  readonly #descriptor: number
  readonly #stream: Duplex
  #pendingBytes = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(descriptor: number, stream: Duplex) {
    this.#descriptor = descriptor
    this.#stream = stream
  }

  /** Undefined where the package is not as it was, or the descriptor would wait: then nothing can be typed. */
  static of(terminal: object): TerminalInput | undefined {
    const descriptor: unknown = 'fd' in terminal ? terminal.fd : undefined
    const stream: unknown = '_socket' in terminal ? terminal._socket : undefined
    if (typeof descriptor !== 'number' || !(stream instanceof Duplex) || !isNonBlocking(descriptor)) return undefined
    stream.on('error', () => undefined) // unheard, the package would throw it at the host
    return new TerminalInput(descriptor, stream)
  }

  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** Resolves when the terminal took all; rejects when it is closed. */
  write(bytes: Uint8Array): Promise<void> {
    const copy = Buffer.from(bytes)
    this.#pendingBytes += copy.length
    const written = this.#last.then(() => this.#writeAll(copy))
    this.#last = written.catch(() => undefined)
    return written
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    let done = 0
    let wait = waitMs.first
    try {
      while (done < bytes.length) {
        const count = this.#writePiece(bytes.subarray(done, done + pieceBytes))
        done += count
        this.#pendingBytes -= count
        wait = count > 0 ? waitMs.first : Math.min(wait * 2, waitMs.longest)
        if (done < bytes.length) await pause(count > 0 ? 0 : wait)
      }
    } finally {
      this.#pendingBytes -= bytes.length - done
    }
  }

  /** 0: the terminal is full. The descriptor is looked at and used in one go, so it cannot be another's by then. */
  #writePiece(piece: Buffer): number {
    const isUsable = !this.#stream.destroyed && isNonBlocking(this.#descriptor)
    if (!isUsable) throw new RunnerError('process_setup_failed')
    try {
      return writeSync(this.#descriptor, piece)
    } catch (error) {
      if (isSystemError(error, 'EAGAIN')) return 0
      throw error
    }
  }
}

function isNonBlocking(descriptor: number): boolean {
  if (process.platform !== 'linux') return true
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & nonBlocking) !== 0
  } catch {
    return false
  }
}
