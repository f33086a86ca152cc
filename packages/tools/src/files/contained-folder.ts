import { relative } from 'node:path'
import { containedPath } from './contained-path.ts'
import { holdFolder } from './held-folder.ts'
import { displayPath } from './printable.ts'

/**
 * Resolves a folder of the workspace, for example the one that a command runs in. An absolute path is taken as one below
 * the root. Nothing keeps it from being swapped afterwards: resolve it again when it is used.
 *
 * @returns its canonical path.
 * @throws ToolError `outside_workspace`, `not_found`, `not_a_folder`, `resolution_changed` or `unreadable`.
 */
export async function containedFolder(root: string, input: string): Promise<string> {
  const path = await containedPath(root, input)
  if (relative(path.root, path.canonical) !== '') {
    const held = await holdFolder(path.root, path.canonical, { display: displayPath(input) })
    await held.close()
  }
  return path.canonical
}
