import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { relativeInside } from './contained-path.ts'

/**
 * The name under which a found file may be shown: relative to the workspace, with forward slashes. Undefined when it
 * is denied, gone, or leads out of the workspace: then nothing about it may be told.
 */
export async function visiblePath(root: string, path: string, guard: ReadGuard): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined || guard.deniedRead(path) || guard.deniedRead(real)) return undefined
  const rest = relativeInside(root, real)
  return sep === '/' ? rest : rest?.replaceAll(sep, '/')
}
