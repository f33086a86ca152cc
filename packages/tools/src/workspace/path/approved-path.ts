import { lstat } from 'node:fs/promises'
import { isLooprigError } from '@looprig/core'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { displayPath } from '../../files/printable.ts'
import { namedPath, type ResolvedPath, type ResolveOptions, resolvedPath } from '../../files/resolved-path.ts'
import { workspaceError } from '../codes.ts'

/**
 * Resolves a path that is to be read or written, for approval.
 *
 * @throws ToolError `outside_workspace`, `unreadable`, or `read_denied`: by the name alone first, before anything could
 *   tell whether it exists.
 */
export async function approvablePath(
  root: string,
  input: string,
  guard: ReadGuard,
  options: ResolveOptions = {},
): Promise<ResolvedPath> {
  const { lexical } = await namedPath(root, input, options)
  checkGuard(lexical, input, guard)
  const path = await resolvedPath(root, input, options)
  checkGuard(path.canonical, input, guard)
  return path
}

/**
 * Resolves an approved path again, when it is about to be used.
 *
 * @throws ToolError `resolution_changed` when it leads elsewhere now, `read_denied` as before.
 */
export async function approvedPath(
  root: string,
  { input, canonical }: { readonly input: string; readonly canonical: string },
  guard: ReadGuard,
  options: ResolveOptions = {},
): Promise<ResolvedPath> {
  const path = await approvablePath(root, input, guard, options).catch((cause: unknown) => {
    throw isLooprigError(cause) && cause.code === 'outside_workspace' ? changed(input, cause) : cause
  })
  if (path.canonical !== canonical) throw changed(input)
  return path
}

/**
 * Refuses a path whose last part is a link, wherever it leads: who names a file is to name it by its own name.
 *
 * @throws ToolError `symlink_refused`
 */
export async function refuseFinalLink({ lexical }: Pick<ResolvedPath, 'lexical'>, display: string): Promise<void> {
  const found = await lstat(lexical).catch(() => undefined)
  if (found?.isSymbolicLink()) throw workspaceError('symlink_refused', `refusing to follow the link: ${display}`)
}

function checkGuard(path: string, input: string, guard: ReadGuard): void {
  if (guard.deniedRead(path)) throw workspaceError('read_denied', `read denied: ${displayPath(input)}`)
}

function changed(input: string, cause?: unknown): Error {
  const text = `${displayPath(input)} leads elsewhere than when it was approved; call again`
  return workspaceError('resolution_changed', text, cause)
}
