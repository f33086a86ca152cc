import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path'
import type { ToolError } from '../contract/errors.ts'
import { fileError } from './file-error.ts'
import { displayPath } from './printable.ts'
import { isSystemError } from './system-error.ts'

/** A path that was found to lie inside a workspace. All three are absolute. */
export interface ContainedPath {
  /** The workspace, with every link resolved. */
  readonly root: string
  /** The path as it was named, below `root`, links not resolved: what is opened without following. */
  readonly lexical: string
  /** Every link resolved; a part that does not exist is kept as it was named. */
  readonly canonical: string
}

/**
 * Resolves a path and proves that it stays inside the workspace. An absolute path is taken as one below the root.
 * Never opens a file.
 *
 * @throws ToolError `outside_workspace`, also for broken links and links that lead out, so that nothing outside can be
 *   probed; `unreadable` when the workspace itself is gone.
 */
export async function containedPath(root: string, input: string): Promise<ContainedPath> {
  const { root: realRoot, lexical } = await lexicalPath(root, input)
  const canonical = await resolveLinks(lexical).catch((cause: unknown) => {
    throw outside(input, cause)
  })
  if (relativeInside(realRoot, canonical) === undefined) throw outside(input)
  return { root: realRoot, lexical, canonical }
}

/**
 * The path as it is named, below the canonical workspace. Looks at nothing below the root.
 *
 * @throws ToolError as `containedPath`.
 */
export async function lexicalPath(root: string, input: string): Promise<Pick<ContainedPath, 'root' | 'lexical'>> {
  const realRoot = await realpath(root).catch((cause: unknown) => {
    throw fileError('unreadable', 'the workspace cannot be read', cause)
  })
  const lexical = stripTrailingSeparator(join(realRoot, normalize(input)))
  if (relativeInside(realRoot, lexical) === undefined) throw outside(input)
  return { root: realRoot, lexical }
}

/** The path relative to the root, empty for the root itself; undefined when it lies outside. Purely lexical. */
export function relativeInside(root: string, path: string): string | undefined {
  const rest = relative(root, path)
  const climbs = rest === '..' || rest.startsWith(`..${sep}`) || isAbsolute(rest)
  return climbs ? undefined : rest
}

/** Resolves the part that exists; a link that leads nowhere exists but does not resolve, so it is an error. */
export async function resolveLinks(path: string): Promise<string> {
  const missing: string[] = []
  let existing = path
  while (!(await exists(existing))) {
    missing.unshift(basename(existing))
    existing = dirname(existing)
  }
  return join(await realpath(existing), ...missing)
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** Without a separator at its end. */
export function stripTrailingSeparator(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path
}

function outside(input: string, cause?: unknown): ToolError {
  return fileError('outside_workspace', `not a path inside the workspace: ${displayPath(input)}`, cause)
}
