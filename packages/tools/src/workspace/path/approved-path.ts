import { isLooprigError } from '@looprig/core'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { workspaceError } from '../codes.ts'
import { type ContainedPath, containedPath, lexicalPath } from './contained-path.ts'
import { displayPath } from './printable.ts'

/**
 * Resolves a path that is to be read, for approval.
 *
 * @throws ToolError `outside_workspace`, or `read_denied`: by the name alone first, before anything could tell whether
 *   it exists.
 */
export async function approvablePath(root: string, input: string, guard: ReadGuard): Promise<ContainedPath> {
  const { lexical } = await lexicalPath(root, input)
  checkGuard(lexical, input, guard)
  const path = await containedPath(root, input)
  checkGuard(path.canonical, input, guard)
  return path
}

/**
 * Resolves an approved path again, when it is about to be read.
 *
 * @throws ToolError `changed_since_approval` when it leads elsewhere now, `read_denied` as before.
 */
export async function approvedPath(
  root: string,
  { input, canonical }: { readonly input: string; readonly canonical: string },
  guard: ReadGuard,
): Promise<ContainedPath> {
  const path = await approvablePath(root, input, guard).catch((cause: unknown) => {
    throw isLooprigError(cause) && cause.code === 'outside_workspace' ? changed(input, cause) : cause
  })
  if (path.canonical !== canonical) throw changed(input)
  return path
}

function checkGuard(path: string, input: string, guard: ReadGuard): void {
  if (guard.deniedRead(path)) throw workspaceError('read_denied', `read denied: ${displayPath(input)}`)
}

function changed(input: string, cause?: unknown): Error {
  const text = `${displayPath(input)} leads elsewhere than when it was approved; call again`
  return workspaceError('changed_since_approval', text, cause)
}
