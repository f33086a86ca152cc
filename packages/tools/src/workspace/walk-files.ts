import { readdir } from 'node:fs'
import { join } from 'node:path'
import type { ReadGuard } from '../contract/read-guard.ts'
import { workspaceError } from './codes.ts'
import { noiseFolders } from './noise.ts'

/** The most files that one walk visits. */
const maxFiles = 250_000

/** How to walk. */
export interface WalkOptions {
  readonly guard: ReadGuard
  readonly signal: AbortSignal
  /** How many levels of folders: 1 is the folder itself. Default: all. */
  readonly depth?: number | undefined
  /** Also enter the folders that are noise. Default false. */
  readonly includeNoise?: boolean | undefined
}

/** A walk under way. */
export interface Walk {
  /** Regular files, relative to the folder, in no order. Links are neither followed nor listed. */
  readonly files: AsyncIterable<string>
  /** Names of the noise folders met so far. */
  readonly skipped: ReadonlySet<string>
}

/**
 * Walks the files below a folder. What cannot be read is left out.
 *
 * @throws ToolError `too_many_files` from `files`; the signal's reason when it is aborted.
 */
export function walkFiles(folder: string, options: WalkOptions): Walk {
  const skipped = new Set<string>()
  return { skipped, files: streamFiles(folder, options, skipped) }
}

async function* streamFiles(folder: string, options: WalkOptions, skipped: Set<string>): AsyncGenerator<string> {
  const { default: glob } = await import('fast-glob') // loaded on use: it is most of what this door would cost to import
  const ended = new AbortController()
  const stream = glob.stream('**/*', {
    cwd: folder,
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    suppressErrors: true,
    deep: options.depth ?? Number.POSITIVE_INFINITY,
    fs: { readdir: pruningReaddir({ ...options, signal: AbortSignal.any([options.signal, ended.signal]) }, skipped) },
  })
  let count = 0
  try {
    for await (const file of stream) {
      options.signal.throwIfAborted()
      count += 1
      if (count > maxFiles) throw workspaceError('too_many_files', `more than ${maxFiles} files; name a smaller folder`)
      yield String(file)
    }
  } finally {
    ended.abort() // a walk that is left early reads no further folder
  }
  options.signal.throwIfAborted()
}

/** Leaves noise folders out of each listing, so that they are never entered, and ends the walk when it is aborted. */
function pruningReaddir({ guard, signal, includeNoise }: WalkOptions, skipped: Set<string>): typeof readdir {
  const prune: WithFileTypes = (path, options, done) => {
    if (signal.aborted) return done(new Error('aborted'), [])
    readdir(path, options, (error, entries) => {
      if (error !== null || includeNoise === true) return done(error, entries ?? [])
      done(
        null,
        entries.filter((entry) => {
          if (!entry.isDirectory() || !noiseFolders.has(entry.name)) return true
          if (!guard.deniedRead(join(path, entry.name))) skipped.add(entry.name)
          return false
        }),
      )
    })
  }
  return prune as typeof readdir // proved: the walker calls it with file types only
}

type WithFileTypes = (
  path: string,
  options: { withFileTypes: true },
  done: (error: NodeJS.ErrnoException | null, entries: import('node:fs').Dirent[]) => void,
) => void
