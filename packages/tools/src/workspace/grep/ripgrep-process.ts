import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A running ripgrep. */
export interface RipgrepProcess {
  readonly output: AsyncIterable<Buffer>
  /** Resolves with the exit code when the process is gone and all its output was read; null when a signal ended it. */
  readonly end: Promise<number | null>
  kill(): void
}

/** How to run it. */
export interface RipgrepStart {
  readonly cwd: string
  readonly signal: AbortSignal
  /** Gets what it writes besides its results. */
  readonly onDiagnostics: (chunk: Buffer) => void
}

/**
 * Starts ripgrep without a shell. Undefined when the program cannot be started. Run it outside of the workspace: as
 * working directory that could stand in for the program on some systems.
 */
export async function startRipgrep(
  program: string,
  argv: readonly string[],
  { cwd, signal, onDiagnostics }: RipgrepStart,
): Promise<RipgrepProcess | undefined> {
  const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const closed = once(child, 'close').catch(() => [null])
  const kill = () => {
    child.kill('SIGKILL')
  }
  if (!(await hasStarted(child))) return undefined
  signal.addEventListener('abort', kill, { once: true })
  child.stderr.on('data', onDiagnostics)
  const end = closed.then(([exitCode]) => {
    signal.removeEventListener('abort', kill)
    return typeof exitCode === 'number' ? exitCode : null
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
