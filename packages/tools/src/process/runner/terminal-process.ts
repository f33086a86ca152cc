import { constants } from 'node:os'
import { Duplex, Readable, type Writable } from 'node:stream'
import { RunnerError, type RunningProcess, type TerminalSize } from '../../contract/runner.ts'
import { ProcessGroup } from '../group/process-group.ts'
import type { ShellStart } from '../group/start-shell.ts'
import type { PtyPackage } from './pty-package.ts'
import { writeTo } from './running-shell.ts'

/** The end of input, as it is typed. */
const endOfInput = '\u0004'

/**
 * The shell that leads the terminal outlives the command by a moment: when a leader goes, the kernel hangs the terminal up,
 * and what was not read until then is lost. It ends as the command did, by the same signal where there was one.
 */
const script =
  'trap : INT QUIT TERM HUP; "$0" -c -- "$1"; code=$?; sleep 0.1 2>/dev/null; ' +
  'if [ "$code" -gt 128 ]; then trap - INT QUIT TERM HUP; kill "-$((code - 128))" $$ 2>/dev/null; fi; exit "$code"'

/**
 * Starts a command in a terminal, which makes it the leader of a session and so of a process group.
 *
 * @throws RunnerError `spawn_failed`
 */
export function startTerminal(
  pty: PtyPackage,
  start: Omit<ShellStart, 'hasInput'>,
  size: TerminalSize,
): RunningProcess {
  const terminal = spawnTerminal(pty, start, size)
  const output = new Readable({ read: () => terminal.resume() })
  // proved: without an encoding the package gives buffers, whatever its types say
  terminal.onData((data: unknown) => {
    if (!output.push(data as Uint8Array)) terminal.pause()
  })
  const exited = new Promise<{ exitCode: number | null; signal?: string | undefined }>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      output.push(null)
      resolve(signal ? { exitCode: null, signal: signalName(signal) } : { exitCode })
    })
  })
  const group = new ProcessGroup({ pid: terminal.pid, exited, output })
  const input = inputOf(terminal)
  return {
    output: group.output,
    end: group.end,
    get pendingInput() {
      return input?.writableLength ?? 0
    },
    write: async (bytes) => {
      if (input !== undefined) return writeTo(input, bytes)
      terminal.write(Buffer.from(bytes).toString('utf8'))
    },
    endInput: async () => terminal.write(endOfInput),
    resize: (next) => terminal.resize(next.columns, next.rows),
    signal: (signal) => group.signal(signal),
  }
}

/**
 * The stream below the terminal, which knows what was not taken yet. The package keeps it to itself, so it is only used
 * where it is what it was. A failure of it is told by the write; unheard, the package would throw it at the host.
 */
function inputOf(terminal: object): Writable | undefined {
  const stream: unknown = '_socket' in terminal ? terminal._socket : undefined
  if (!(stream instanceof Duplex)) return undefined
  stream.on('error', () => undefined)
  return stream
}

function spawnTerminal(pty: PtyPackage, start: Omit<ShellStart, 'hasInput'>, { rows, columns }: TerminalSize) {
  try {
    return pty.spawn(start.shell, ['-c', script, start.shell, start.command], {
      cwd: start.directory,
      env: { ...start.environment, TERM: start.environment.TERM ?? 'xterm' },
      rows,
      cols: columns,
      encoding: null,
    })
  } catch (cause) {
    throw new RunnerError('spawn_failed', { cause })
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? 'unknown'
}
