import { constants } from 'node:os'
import { Readable } from 'node:stream'
import { RunnerError, type RunningProcess, type TerminalSize } from '../../contract/runner.ts'
import { ProcessGroup } from '../group/process-group.ts'
import type { ShellStart } from '../group/start-shell.ts'
import type { PtyPackage } from './pty-package.ts'
import { TerminalInput } from './terminal-input.ts'

/** The end of input, as it is typed. */
const endOfInput = Uint8Array.of(4)

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
  const input = TerminalInput.of(terminal)
  const type = async (bytes: Uint8Array) => {
    if (input === undefined) throw new RunnerError('pty_unavailable')
    await input.write(bytes)
  }
  return {
    output: group.output,
    end: group.end,
    get pendingInput() {
      return input?.pendingBytes ?? 0
    },
    write: type,
    endInput: () => type(endOfInput),
    resize: (next) => terminal.resize(next.columns, next.rows),
    signal: (signal) => group.signal(signal),
  }
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
