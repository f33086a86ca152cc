import { mkdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from './usage.ts'

/** The environment variables of a process. */
export type Environment = { readonly [name: string]: string | undefined }

/** Where relative paths start: the folder in which npm was called, not the one in which npm starts programs. */
export function startFolder(env: Environment, cwd: string): string {
  return env.INIT_CWD || cwd
}

/** The data folder of a person who named none, by the custom of each system. */
export function defaultDataFolder(platform: NodeJS.Platform, env: Environment, home: string): string {
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix
  const { XDG_DATA_HOME: xdg, LOCALAPPDATA: local } = env
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'looprig')
  if (platform === 'win32') return join(local || join(home, 'AppData', 'Local'), 'looprig')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'looprig')
  return join(home, '.local', 'share', 'looprig')
}

/**
 * The canonical path of a folder to work in.
 *
 * @throws UsageError when it is not there or is no folder.
 */
export async function resolveWorkspace(folder: string): Promise<string> {
  const canonical = await realpath(folder).catch((cause: unknown) => {
    throw new UsageError(`workspace ${folder}: ${reasonOf(cause)}`, { cause })
  })
  if (!(await stat(canonical)).isDirectory()) throw new UsageError(`workspace ${folder}: not a folder`)
  return canonical
}

/**
 * Makes the data folder, for its owner alone, unless it is there.
 *
 * @throws UsageError when it cannot be made or is no folder.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!(await stat(folder)).isDirectory()) throw new UsageError(`data folder ${folder}: not a folder`)
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`data folder ${folder}: ${reasonOf(cause)}`, { cause })
  }
}

/** The file of a data folder that holds all sessions. */
export function storeFile(dataFolder: string): string {
  return path.join(dataFolder, 'sessions.db')
}

/**
 * Says whether there is a store to read.
 *
 * @throws UsageError when that cannot be told, for example because the data folder is a file.
 */
export async function hasStore(dataFolder: string): Promise<boolean> {
  try {
    return (await stat(storeFile(dataFolder))).isFile()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false
    throw new UsageError(`data folder ${dataFolder}: ${reasonOf(cause)}`, { cause })
  }
}

/** Says whether a canonical path is a folder or lies in it. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file)
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** Why a path could not be used, in words. */
export function reasonOf(error: unknown): string {
  const code = errnoOf(error)
  return code === undefined ? 'it cannot be used' : (reasons[code] ?? `it cannot be used (${code})`)
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  ELOOP: 'too many links',
  ENAMETOOLONG: 'the name is too long',
}

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
