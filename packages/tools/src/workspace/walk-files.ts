import { type Dirent, readdir, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ReadGuard } from '../contract/read-guard.ts'
import { workspaceError } from './codes.ts'
import { isLocalDisk } from './local-disk.ts'
import { noiseFolders } from './noise.ts'

/** The most files, and the most folders, that one walk visits. */
const maxFiles = 250_000

/** How many folders are read at once by other threads: as many as Node.js has for it. */
const maxReading = 4

/** How long this thread reads folders before anything else gets its turn, in milliseconds. */
const sliceMs = 4

/** A folder that takes longer than this is not where a disk of this machine is: other threads read from then on. */
const slowMs = 20

/** How to walk. */
export interface WalkOptions {
  readonly guard: ReadGuard
  readonly signal: AbortSignal
  /** How many levels of folders: 1 is the folder itself. Default: all. */
  readonly depth?: number | undefined
  /** Also enter the folders that are noise. Default false. */
  readonly includeNoise?: boolean | undefined
}

/**
 * Gets the regular files of one folder.
 *
 * @param folder - relative to where the walk began, with forward slashes and one at the end; empty for the start itself.
 */
export type VisitFolder = (folder: string, names: readonly string[]) => void

/**
 * Walks the folders below a folder, in no order. Links are neither followed nor given; what cannot be read is left out.
 *
 * @returns the names of the noise folders that were met and not entered.
 * @throws ToolError `too_many_files`, the signal's reason when it is aborted, and what `visit` throws; then nothing more
 *   is visited.
 */
export async function walkFiles(
  folder: string,
  options: WalkOptions,
  visit: VisitFolder,
): Promise<ReadonlySet<string>> {
  const walk = new FolderWalk(folder, options, visit, await isLocalDisk(folder))
  const abort = () => walk.fail(options.signal.reason)
  options.signal.throwIfAborted()
  options.signal.addEventListener('abort', abort, { once: true })
  try {
    return await walk.run()
  } finally {
    options.signal.removeEventListener('abort', abort)
  }
}

interface OpenFolder {
  /** As `VisitFolder` has it. */
  readonly name: string
  readonly level: number
}

class FolderWalk {
  readonly #start: string
  readonly #options: WalkOptions
  readonly #visit: VisitFolder
  readonly #depth: number
  readonly #skipped = new Set<string>()
  readonly #waiting: OpenFolder[] = [{ name: '', level: 1 }]
  #resolve: (skipped: ReadonlySet<string>) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  /** To hand a folder over to another thread and back costs more than to read it from a disk of this machine. */
  #readsHere: boolean
  #reading = 0
  #files = 0
  #folders = 0
  #hasFailed = false

  constructor(start: string, options: WalkOptions, visit: VisitFolder, readsHere: boolean) {
    this.#readsHere = readsHere
    this.#start = start
    this.#options = options
    this.#visit = visit
    this.#depth = options.depth ?? Number.POSITIVE_INFINITY
  }

  run(): Promise<ReadonlySet<string>> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#goOn()
    })
  }

  fail(error: unknown): void {
    this.#hasFailed = true
    this.#reject(error)
  }

  #goOn(): void {
    try {
      if (this.#readsHere) this.#readSlice()
      else this.#readMore()
    } catch (error) {
      this.fail(error)
    }
  }

  #readSlice(): void {
    const startedAt = performance.now()
    for (let now = startedAt; !this.#hasFailed && this.#readsHere && now - startedAt < sliceMs; ) {
      const folder = this.#waiting.pop()
      if (folder === undefined) {
        this.#resolve(this.#skipped)
        return
      }
      const entries = readHere(`${this.#start}/${folder.name}`)
      if (entries !== undefined) this.#take(folder, entries)
      const before = now
      now = performance.now()
      if (now - before > slowMs) this.#readsHere = false
    }
    if (!this.#hasFailed) setImmediate(() => this.#goOn())
  }

  #readMore(): void {
    while (this.#reading < maxReading && !this.#hasFailed) {
      const folder = this.#waiting.pop()
      if (folder === undefined) break
      this.#reading += 1
      readdir(`${this.#start}/${folder.name}`, { withFileTypes: true }, (error, entries) => {
        this.#reading -= 1
        if (this.#hasFailed) return
        try {
          if (error === null) this.#take(folder, entries)
        } catch (thrown) {
          this.fail(thrown)
        }
        this.#goOn()
      })
    }
    if (this.#reading === 0 && this.#waiting.length === 0 && !this.#hasFailed) this.#resolve(this.#skipped)
  }

  #take({ name: folder, level }: OpenFolder, entries: readonly Dirent[]): void {
    const files: string[] = []
    for (const entry of entries) {
      if (entry.isFile()) files.push(entry.name)
      else if (entry.isDirectory() && level < this.#depth) this.#enter(folder, entry.name, level)
      else if (entry.isDirectory()) this.#noteNoise(folder, entry.name)
    }
    this.#files += files.length
    this.#checkSize()
    if (files.length > 0) this.#visit(folder, files)
  }

  #enter(folder: string, name: string, level: number): void {
    if (this.#noteNoise(folder, name)) return
    this.#waiting.push({ name: `${folder}${name}/`, level: level + 1 })
    this.#folders += 1
  }

  /** Says whether a folder is noise that is not entered. */
  #noteNoise(folder: string, name: string): boolean {
    if (this.#options.includeNoise === true || !noiseFolders.has(name)) return false
    if (!this.#options.guard.deniedRead(join(this.#start, folder, name))) this.#skipped.add(name)
    return true
  }

  #checkSize(): void {
    if (this.#files <= maxFiles && this.#folders <= maxFiles) return
    throw workspaceError('too_many_files', `more than ${maxFiles} files or folders; name a smaller folder`)
  }
}

function readHere(path: string): Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return undefined
  }
}
