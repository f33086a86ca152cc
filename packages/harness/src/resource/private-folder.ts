import { lstat, mkdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

/** A folder that may not be used: what is there is a link, no folder, somebody else's, or open to others. */
export class PrivateFolderError extends Error {
  override readonly name = 'PrivateFolderError'
}

/** Opens the folder that holds those of all sessions and makes it, and what is above it, when it is not there. */
export async function openResourceRoot(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  await checkFolder(root, othersMayWrite)
  return await realpath(root)
}

/** Opens a folder that nobody but us can look into, and makes it when it is not there. */
export async function openPrivateFolder(parent: string, name: string): Promise<string> {
  const folder = join(parent, name)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  await checkFolder(folder, othersMayDoAnything)
  return folder
}

/** Refuses a folder in which the tools of a session may write: they could make up what it keeps. */
export async function checkOutside(folder: string, workspace: string): Promise<void> {
  const path = relative(await realpath(workspace), folder)
  const isInside = path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
  if (isInside) throw new PrivateFolderError('the folder lies in the workspace, where tools may write')
}

const othersMayWrite = 0o022
const othersMayDoAnything = 0o077

/** Refuses what another user could have put there, or could change. Without user ids (Windows) only links are refused. */
async function checkFolder(folder: string, forbidden: number): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory()) throw new PrivateFolderError('expected a folder, and no link')
  const user = process.getuid?.()
  if (user === undefined) return
  if (found.uid !== user) throw new PrivateFolderError('the folder is of another user')
  if ((found.mode & forbidden) !== 0) throw new PrivateFolderError('the folder is open to other users')
}
