import type { Writable } from 'node:stream'
import { RunnerError, type RunningProcess } from '../../contract/runner.ts'
import type { StartedShell } from '../group/start-shell.ts'

/** A started shell as a process that outlives its call. */
export function runningShell({ group, input }: StartedShell): RunningProcess {
  return {
    output: group.output,
    end: group.end,
    get pendingInput() {
      return input?.writableLength ?? 0
    },
    write: (bytes) => writeTo(input, bytes),
    endInput: async () => {
      input?.end()
    },
    signal: (signal) => group.signal(signal),
  }
}

/** Resolves when the system took the bytes. */
export function writeTo(input: Writable | undefined, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (input === undefined || !input.writable) return reject(new RunnerError('process_setup_failed'))
    input.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}
