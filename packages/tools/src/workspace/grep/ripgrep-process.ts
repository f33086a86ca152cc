import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** The most bytes of error output that are kept. */
const maxErrorBytes = 8_192

/** How a ripgrep process ended. */
export interface RipgrepEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly errorText: string
}

/** A running ripgrep. */
export interface RipgrepProcess {
  readonly output: AsyncIterable<Buffer>
  /** Resolves when the process is gone. */
  readonly end: Promise<RipgrepEnd>
  kill(): void
}

/**
 * Starts ripgrep without a shell. Undefined when the program cannot be started. Run it outside of the workspace: as
 * working directory that could stand in for the program on some systems.
 */
export async function startRipgrep(
  program: string,
  argv: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<RipgrepProcess | undefined> {
  const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const closed = once(child, 'close').catch(() => [null])
  const kill = () => {
    child.kill('SIGKILL')
  }
  if (!(await hasStarted(child))) return undefined
  signal.addEventListener('abort', kill, { once: true })
  const errorText = readHead(child.stderr)
  const end = Promise.all([closed, errorText]).then(([[exitCode], text]) => {
    signal.removeEventListener('abort', kill)
    return { exitCode: typeof exitCode === 'number' ? exitCode : null, errorText: text }
  })
  if (signal.aborted) kill()
  return { output: child.stdout, end, kill }
}

function hasStarted(child: ReturnType<typeof spawn>): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true))
    child.on('error', () => resolve(false))
  })
}

/** Reads all, keeps the head. */
async function readHead(stream: Readable): Promise<string> {
  const kept: Buffer[] = []
  let size = 0
  // proved: a pipe without an encoding gives buffers
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < maxErrorBytes) kept.push(chunk)
    size += chunk.length
  }
  return Buffer.concat(kept).subarray(0, maxErrorBytes).toString('utf8')
}
