import { constants } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, readlink, rmdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileError } from './file-error.ts'
import { isSystemError } from './system-error.ts'
import { writeError } from './write-error.ts'

/**
 * A folder that was reached without following any link and is held open: whatever is renamed or swapped meanwhile, what
 * is named in it is in this very folder. The caller closes it.
 *
 * On Linux each part of the path is opened from the one above, through `/proc/self/fd`. Elsewhere the parts are checked
 * one by one and the folder is compared again before it is used, which leaves a moment open.
 */
export interface HeldFolder {
  /** The path of an entry, for one system call. Whether the entry itself is a link, the call must settle. */
  at(name: string): string
  /** Says whether the folder is still where it was found. */
  isInPlace(): Promise<boolean>
  /** Makes what was created, renamed and removed in it, and it itself where it is new, survive a crash. */
  sync(): Promise<void>
  /** Removes the folders that were made on the way here and are empty. */
  discard(): Promise<void>
  close(): Promise<void>
}

/** How to reach a folder. */
export interface HoldOptions {
  /** What a message calls the path. */
  readonly display: string
  /** Make the folders that are missing: at most 64. Default false. */
  readonly create?: boolean | undefined
}

/** The most folders that are made for one file. */
const maxNewFolders = 64

/** `O_PATH`: needs no right to list the folder. Only Linux knows it, and Node.js has no name for it. */
const pathOnly = 0o10000000
const folderFlags = constants.O_DIRECTORY | constants.O_NOFOLLOW | pathOnly

/**
 * Holds a folder.
 *
 * @param base - an absolute canonical folder, which is trusted to be one.
 * @param canonical - the folder, equal to `base` or below it, with every link resolved.
 * @throws ToolError `not_found`, `not_a_folder`, `resolution_changed` when a part of the path is a link now,
 *   `unreadable`; with `create` also `unwritable` and `disk_full`.
 */
export async function holdFolder(base: string, canonical: string, options: HoldOptions): Promise<HeldFolder> {
  const names = relative(base, canonical).split(sep).filter(Boolean)
  if (names.includes('..')) throw fileError('resolution_changed', `${options.display} leads elsewhere; call again`)
  const held = new FolderChain(base, canonical, (await hasDescriptorPaths()) ? 'descriptor' : 'path', options)
  try {
    await held.enter(base, base)
    for (const name of names) await held.descend(name)
    if (!(await held.isInPlace())) throw changed(options.display)
    return held
  } catch (error) {
    await held.discard()
    await held.close()
    throw error
  }
}

let descriptorPaths: Promise<boolean> | undefined

function hasDescriptorPaths(): Promise<boolean> {
  descriptorPaths ??=
    process.platform === 'linux'
      ? access('/proc/self/fd').then(
          () => true,
          () => false,
        )
      : Promise.resolve(false)
  return descriptorPaths
}

interface MadeFolder {
  readonly path: string
  /** Keeps `path` valid. */
  readonly parent: FileHandle | undefined
}

class FolderChain implements HeldFolder {
  readonly #canonical: string
  readonly #by: 'descriptor' | 'path'
  readonly #options: HoldOptions
  readonly #made: MadeFolder[] = []
  #handle: FileHandle | undefined
  #path: string
  #identity = ''

  constructor(base: string, canonical: string, by: 'descriptor' | 'path', options: HoldOptions) {
    this.#canonical = canonical
    this.#by = by
    this.#options = options
    this.#path = base
  }

  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes(sep)) {
      throw fileError('not_found', `no such file: ${this.#options.display}`)
    }
    return this.#handle === undefined ? join(this.#path, name) : `/proc/self/fd/${this.#handle.fd}/${name}`
  }

  async isInPlace(): Promise<boolean> {
    if (this.#handle !== undefined) return (await readlink(`/proc/self/fd/${this.#handle.fd}`)) === this.#canonical
    return (await identityOf(this.#path).catch(() => undefined)) === this.#identity
  }

  async descend(name: string): Promise<void> {
    const path = this.at(name)
    try {
      await this.enter(path, join(this.#path, name))
    } catch (error) {
      if (this.#options.create !== true || !isSystemError(error, 'ENOENT')) throw await this.#explain(error, path)
      await this.#make(path)
      await this.enter(path, join(this.#path, name)).catch(async (again: unknown) => {
        throw await this.#explain(again, path)
      })
    }
  }

  /** Goes to a folder: `path` names it for the system call, `plain` for those without descriptors. */
  async enter(path: string, plain: string): Promise<void> {
    if (this.#by === 'descriptor') {
      const next = await open(path, folderFlags)
      if (this.#made.every(({ parent }) => parent !== this.#handle)) await this.#handle?.close()
      this.#handle = next
    } else {
      this.#identity = await identityOf(plain)
    }
    this.#path = plain
  }

  async sync(): Promise<void> {
    const folders = [...this.#made.map(({ parent }) => parent), this.#handle]
    for (const folder of new Set(folders)) {
      await syncFolder(folder === undefined ? this.#path : `/proc/self/fd/${folder.fd}/.`)
    }
  }

  async discard(): Promise<void> {
    for (const { path } of this.#made.toReversed()) {
      const isGone = await rmdir(path).then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  async close(): Promise<void> {
    const open = new Set([...this.#made.map(({ parent }) => parent), this.#handle])
    this.#handle = undefined
    for (const handle of open) await handle?.close()
  }

  async #make(path: string): Promise<void> {
    const { display } = this.#options
    if (this.#made.length === maxNewFolders) {
      throw fileError('unwritable', `more than ${maxNewFolders} folders would have to be made for ${display}`)
    }
    try {
      await mkdir(path)
      this.#made.push({ path, parent: this.#handle })
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw writeError(error, display) // someone else may have made it
    }
  }

  async #explain(error: unknown, path: string): Promise<Error> {
    const { display } = this.#options
    if (isSystemError(error, 'ENOENT', 'ENAMETOOLONG')) return fileError('not_found', `no such file: ${display}`, error)
    if (!isSystemError(error, 'ENOTDIR', 'ELOOP', 'EMLINK')) {
      return fileError('unreadable', `could not open: ${display}`, error)
    }
    const found = await lstat(path).catch(() => undefined)
    return found?.isSymbolicLink() === false
      ? fileError('not_a_folder', `a part of the path is no folder: ${display}`, error)
      : changed(display, error)
  }
}

/** What a path leads to, when it is a folder and no link. */
async function identityOf(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true })
  if (stat.isDirectory()) return `${stat.dev}:${stat.ino}`
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

/** Some file systems and systems cannot: then there is nothing to be had. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined)
  try {
    await handle?.sync()
  } catch (error) {
    if (!isSystemError(error, 'EINVAL', 'EBADF', 'EPERM', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP')) throw error
  } finally {
    await handle?.close()
  }
}

function changed(display: string, cause?: unknown): Error {
  return fileError('resolution_changed', `${display} leads elsewhere than when it was approved; call again`, cause)
}
