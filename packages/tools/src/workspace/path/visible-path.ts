import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { relativeInside } from '../../files/contained-path.ts'
import { realPathHere } from '../local-disk.ts'

/**
 * The name under which a file that a search found may be shown: relative to the workspace, with forward slashes. Undefined
 * when it is denied, gone, outside of the workspace, or behind a link: a search follows none, so a folder was swapped for
 * one meanwhile. Then nothing about it may be told.
 */
export async function visiblePath(
  root: string,
  path: string,
  { guard, isLocal }: { readonly guard: ReadGuard; readonly isLocal: boolean },
): Promise<string | undefined> {
  const real = isLocal ? realPathHere(path) : await realpath(path).catch(() => undefined)
  if (real !== path || guard.deniedRead(path)) return undefined
  const rest = relativeInside(root, real)
  return sep === '/' ? rest : rest?.replaceAll(sep, '/')
}
