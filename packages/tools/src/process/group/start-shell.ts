import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { RunnerError } from '../../contract/runner.ts'
import { openPipe, type Pipe } from './open-pipe.ts'
import { ProcessGroup } from './process-group.ts'

/** What a shell is started with. */
export interface ShellStart {
  readonly shell: string
  readonly command: string
  readonly directory: string
  /** All that the command gets: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  readonly hasInput: boolean
}

/** A shell that runs, with its input where it has one. */
export interface StartedShell {
  readonly group: ProcessGroup
  readonly input: Writable | undefined
}

/**
 * Runs the command in the very shell that it was read for. Error output goes where output goes, so that both keep their
 * order; `--` keeps a command that begins with a dash from being read as an option.
 */
const script = 'exec "$0" -c -- "$1" 2>&1'

/**
 * Starts a command as the leader of a process group and a session of its own.
 *
 * @throws RunnerError `spawn_failed` when nothing runs.
 */
export async function startShell(start: ShellStart): Promise<StartedShell> {
  const held = await holdDirectory(start.directory)
  try {
    return await spawnIn(start, held === undefined ? start.directory : `/proc/self/fd/${held.fd}`)
  } catch (cause) {
    throw cause instanceof RunnerError ? cause : new RunnerError('spawn_failed', { cause })
  } finally {
    await held?.close()
  }
}

/** On Linux the folder is held open while the command starts in it, so that nobody can swap it in between. */
async function holdDirectory(directory: string): Promise<FileHandle | undefined> {
  if (process.platform !== 'linux') return undefined
  let handle: FileHandle | undefined
  try {
    handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if ((await readlink(`/proc/self/fd/${handle.fd}`)) === directory) return handle
  } catch (cause) {
    await handle?.close()
    throw new RunnerError('spawn_failed', { cause })
  }
  await handle.close()
  throw new RunnerError('spawn_failed')
}

async function spawnIn(start: ShellStart, cwd: string): Promise<StartedShell> {
  const pipe = await openPipe()
  try {
    return await spawnInto(start, cwd, pipe)
  } catch (error) {
    pipe?.output.destroy()
    throw error
  } finally {
    await pipe?.closeWriteEnd()
  }
}

async function spawnInto(start: ShellStart, cwd: string, pipe: Pipe | undefined): Promise<StartedShell> {
  const child = spawn(start.shell, ['-c', script, start.shell, start.command], {
    cwd,
    env: { ...start.environment },
    detached: true,
    stdio: [start.hasInput ? 'pipe' : 'ignore', pipe?.writeEnd ?? 'pipe', 'ignore'],
    windowsHide: true,
  })
  const exited = exitOf(child)
  await hasStarted(child)
  const { pid, stdin } = child
  const output = pipe?.output ?? child.stdout
  if (pid === undefined || output === null) throw new RunnerError('spawn_failed')
  stdin?.on('error', () => undefined) // a process that does not read: told by the write itself
  return { group: new ProcessGroup({ pid, exited, output }), input: stdin instanceof Writable ? stdin : undefined }
}

function hasStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.on('error', reject)
  })
}

function exitOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | undefined }> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal: signal ?? undefined }))
  })
}
