import { randomBytes } from 'node:crypto'
import { constants, renameSync, type Stats } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import type { HeldFolder } from './held-folder.ts'
import { isSystemError } from './system-error.ts'
import { writeError } from './write-error.ts'

/** Who may use the file, kept from the one that it replaces. */
export type KeptOwner = Pick<Stats, 'mode' | 'uid' | 'gid'>

/** How a file gets to its place. */
export interface Publication {
  readonly folder: HeldFolder
  readonly name: string
  /** What a message calls the file. */
  readonly display: string
  readonly bytes: Uint8Array
}

/** What can only be said once the file is in place. */
export interface Published {
  /** The folder is on disk as well. False: the file is there, and a power cut could still undo it. */
  readonly isDurable: boolean
}

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** A new file is readable as the process is told by its umask. */
const newFileMode = 0o666
const privateMode = 0o600

/** Permission bits that a writer may keep: the kernel takes setuid and setgid away from what is written, and so do we. */
const keptBits = 0o1777

/**
 * Makes a file that is not there yet, whole or not at all: the first of any number of writers wins.
 *
 * @throws ToolError `file_conflict` when the name is taken, else `disk_full`, `unwritable` or `resolution_changed`.
 *   Then nothing is there, and no temporary file.
 */
export async function createFile(file: Publication, mode: number = newFileMode): Promise<Published> {
  return publish(file, { mode }, async (staged, target) => {
    try {
      await link(staged, target)
    } catch (error) {
      if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
      await renameOntoNew(staged, target) // a file system without hard links
      return
    }
    await rm(staged, { force: true }).catch(() => undefined)
  })
}

/**
 * Puts new content in the place of a file, whole or not at all, with the old mode and, where that is allowed, the old
 * owner. Other names of the old file keep the old content; access lists and extended attributes are not kept.
 *
 * @param checkUnchanged - asked at the last moment, with nothing of this process in between; what it throws leaves
 *   everything as it is.
 * @throws ToolError `disk_full`, `unwritable` or `resolution_changed`. Then the old file is there, and no temporary one.
 */
export async function replaceFile(
  file: Publication,
  owner: KeptOwner,
  checkUnchanged: () => void = () => {},
): Promise<Published> {
  return publish(file, { mode: privateMode, owner }, async (staged, target) => {
    checkUnchanged()
    renameSync(staged, target)
  })
}

interface Staging {
  readonly mode: number
  readonly owner?: KeptOwner
}

async function publish(
  { folder, name, display, bytes }: Publication,
  { mode, owner }: Staging,
  move: (staged: string, target: string) => Promise<void>,
): Promise<Published> {
  const staged = folder.at(`.looprig-write-${randomBytes(16).toString('hex')}.tmp`)
  try {
    await stage(staged, mode, bytes, owner)
    await move(staged, folder.at(name))
  } catch (error) {
    await rm(staged, { force: true }).catch(() => undefined)
    throw writeError(error, display)
  }
  return folder.sync().then(
    () => ({ isDurable: true }),
    () => ({ isDurable: false }),
  )
}

async function stage(path: string, mode: number, bytes: Uint8Array, owner: KeptOwner | undefined): Promise<void> {
  const handle = await open(path, createFlags, mode)
  try {
    await handle.writeFile(bytes)
    if (owner !== undefined) await keepOwner(handle, owner)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The owner first: to change it takes bits of the mode away. Where the group is lost, so are its rights. */
async function keepOwner(handle: FileHandle, { mode, uid, gid }: KeptOwner): Promise<void> {
  const own = await handle.stat()
  if (own.uid !== uid) await handle.chown(uid, gid).catch(ignoreRefusal)
  if (own.gid !== gid) await handle.chown((await handle.stat()).uid, gid).catch(ignoreRefusal)
  const hasGroup = (await handle.stat()).gid === gid
  const bits = mode & keptBits
  await handle.chmod(hasGroup ? bits : (bits & 0o1707) | ((bits & 0o007) << 3))
}

function ignoreRefusal(error: unknown): void {
  if (!isSystemError(error, 'EPERM', 'EINVAL')) throw error
}

/** Takes the name first, so that a second writer fails; a kill in between leaves an empty file. */
async function renameOntoNew(staged: string, target: string): Promise<void> {
  const placeholder = await open(target, createFlags, privateMode)
  await placeholder.close()
  try {
    await rename(staged, target)
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}
