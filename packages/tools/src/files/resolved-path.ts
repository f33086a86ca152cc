import { realpath } from 'node:fs/promises'
import { isAbsolute, normalize, parse } from 'node:path'
import {
  type ContainedPath,
  containedPath,
  lexicalPath,
  relativeInside,
  resolveLinks,
  stripTrailingSeparator,
} from './contained-path.ts'
import { fileError } from './file-error.ts'
import { displayPath } from './printable.ts'

/** A path that was resolved, inside a workspace or, where an application allows it, anywhere. */
export interface ResolvedPath extends ContainedPath {
  /** The trusted folder above it from which it is reached without links: the workspace, or the top of the file system. */
  readonly base: string
  /** It lies in the workspace. */
  readonly isContained: boolean
}

/** Which paths are taken. */
export interface ResolveOptions {
  /**
   * An absolute path is one of the host's, as it is named. Default false: then it is one below the workspace. A relative
   * one never leaves the workspace.
   */
  readonly host?: boolean | undefined
}

/**
 * Resolves a path. It opens no file and grants nothing.
 *
 * @throws ToolError `outside_workspace` as `containedPath`; `unreadable` when a path of the host does not resolve.
 */
export async function resolvedPath(root: string, input: string, options: ResolveOptions = {}): Promise<ResolvedPath> {
  const { host, root: realRoot, lexical } = await namedPath(root, input, options)
  if (!host) {
    const path = await containedPath(root, input)
    return { ...path, base: path.root, isContained: true }
  }
  const canonical = await resolveLinks(lexical).catch((cause: unknown) => {
    throw fileError('unreadable', `not a path that can be resolved: ${displayPath(input)}`, cause)
  })
  const isContained = relativeInside(realRoot, canonical) !== undefined
  return { root: realRoot, lexical, canonical, isContained, base: isContained ? realRoot : parse(canonical).root }
}

/** The path as it is named. Looks at nothing but the workspace's own folder. @throws ToolError as `resolvedPath`. */
export async function namedPath(
  root: string,
  input: string,
  { host = false }: ResolveOptions = {},
): Promise<Pick<ContainedPath, 'root' | 'lexical'> & { readonly host: boolean }> {
  if (!host || !isAbsolute(input)) return { ...(await lexicalPath(root, input)), host: false }
  const realRoot = await realpath(root).catch((cause: unknown) => {
    throw fileError('unreadable', 'the workspace cannot be read', cause)
  })
  return { root: realRoot, lexical: stripTrailingSeparator(normalize(input)), host: true }
}
