import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { ToolError } from '../../contract/errors.ts'
import { containedFolder } from '../../files/contained-folder.ts'
import { relativeInside } from '../../files/contained-path.ts'
import { displayPath } from '../../files/printable.ts'

/**
 * The canonical folder that a command runs in: relative to the workspace, or absolute inside it; else the root.
 *
 * @throws ToolError as `containedFolder`
 */
export async function spawnDirectory(root: string, workdir: string | undefined): Promise<string> {
  if (workdir === undefined) return containedFolder(root, '.')
  if (!isAbsolute(workdir)) return containedFolder(root, workdir)
  const canonicalRoot = await realpath(root).catch(() => root)
  const inside = relativeInside(root, workdir) ?? relativeInside(canonicalRoot, workdir)
  return containedFolder(root, inside === '' ? '.' : (inside ?? workdir))
}

/**
 * Resolves the approved folder again, when the command is about to run.
 *
 * @throws ToolError `resolution_changed` when it leads elsewhere now, or nowhere.
 */
export async function approvedDirectory(root: string, workdir: string | undefined, approved: string): Promise<void> {
  let found: string | undefined
  let cause: unknown
  try {
    found = await spawnDirectory(root, workdir)
  } catch (error) {
    cause = error
  }
  if (found === approved) return
  const text = `${displayPath(workdir ?? '.')} leads elsewhere than when it was approved; call again`
  throw new ToolError('resolution_changed', text, { cause })
}
