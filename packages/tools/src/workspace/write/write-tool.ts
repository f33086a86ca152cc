import { basename, dirname } from 'node:path'
import type { z } from 'zod'
import type { WorkspaceBinding } from '../../contract/bindings.ts'
import type { FileObservation } from '../../contract/file-observations.ts'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { type Requirement, writeRequirement } from '../../contract/request.ts'
import { relativeInside } from '../../files/contained-path.ts'
import { type HeldFolder, holdFolder } from '../../files/held-folder.ts'
import { pathArgument } from '../../files/path-argument.ts'
import { displayPath, printable } from '../../files/printable.ts'
import type { Published } from '../../files/publish-file.ts'
import type { ResolvedPath } from '../../files/resolved-path.ts'
import { approvablePath, approvedPath, refuseFinalLink } from '../path/approved-path.ts'
import type { ReadToolOptions } from '../read-tool.ts'
import { withinDeadline } from '../within-deadline.ts'

/** What an application may set for the tools that write. */
export interface WriteToolOptions extends ReadToolOptions {
  /**
   * An absolute path is one of the host, so that files outside of the workspace can be written. Default false: it is one
   * below the workspace. Each such write is asked for anew, its folder must exist, and nothing is remembered of it.
   */
  readonly hostWrites?: boolean | undefined
}

/** The schema of the path of a file that is written: a name that cannot be printed is not made. */
export function writtenPath(description: string): z.ZodType<string> {
  return pathArgument(description).refine((path) => printable(path) === path, 'must not hold control characters')
}

/** A file that is about to be written. */
export interface WritePlace {
  readonly path: ResolvedPath
  readonly display: string
}

/** Resolves the place of a file for approval. @throws ToolError as `approvablePath`, `symlink_refused` */
export async function preparePlace(
  root: string,
  input: string,
  guard: ReadGuard,
  { hostWrites: host }: WriteToolOptions,
): Promise<WritePlace> {
  const path = await approvablePath(root, input, guard, { host })
  const place = { path, display: displayPath(input) }
  await refuseFinalLink(path, place.display)
  return place
}

/** Asks to write: with a rule that can be kept for a file of the workspace, and each time anew for one outside. */
export function writeRequirements({ path, display }: WritePlace, verb: string): Requirement[] {
  if (path.isContained) return [writeRequirement(path.canonical, shownPath(path, display))]
  const { candidates: _, ...requirement } = writeRequirement(path.canonical)
  return [{ ...requirement, description: `${verb} outside of the workspace: ${displayPath(path.canonical)}` }]
}

/** The path that is written, where a folder on the way is a link. */
function shownPath({ root, lexical, canonical }: ResolvedPath, display: string): string {
  return lexical === canonical ? display : `${displayPath(relativeInside(root, canonical) ?? canonical)} (${display})`
}

/** What of an artifact says where a file is written. */
export interface ApprovedPlace {
  readonly input: string
  readonly canonical: string
}

/** What a write is given once nobody else can write there. */
export interface WriteTurn extends WritePlace {
  readonly folder: HeldFolder
  /** The name in the folder. */
  readonly name: string
  /** Nothing is remembered of a file outside of the workspace. */
  readonly observation: FileObservation
  readonly signal: AbortSignal
}

/** How to get to a write. */
export interface WriteEntry {
  readonly toolName: string
  readonly approved: ApprovedPlace
  readonly workspace: WorkspaceBinding
  readonly guard: ReadGuard
  readonly options: WriteToolOptions
  readonly signal: AbortSignal
  /** Make the folders that are missing. */
  readonly createFolders: boolean
}

/**
 * Resolves the place again, waits for its turn, and holds the folder while `write` runs. What `write` throws leaves no
 * new folder behind.
 *
 * @throws ToolError
 */
export function takeTurn<T>(entry: WriteEntry, write: (turn: WriteTurn) => Promise<T>): Promise<T> {
  const { toolName, approved, workspace, guard, options, signal } = entry
  return withinDeadline(toolName, signal, options, async (limited) => {
    const display = displayPath(approved.input)
    const path = await approvedPath(workspace.root, approved, guard, { host: options.hostWrites })
    await refuseFinalLink(path, display)
    const permit = await workspace.coordinator.acquire({ kind: 'path', path: path.canonical }, limited)
    try {
      const observations = workspace.observations
      const run = (observation: FileObservation) =>
        inFolder({ path, display, signal: limited, observation }, entry.createFolders && path.isContained, write)
      return await (path.isContained ? observations.withPath(path.canonical, run) : run({ current: 'unknown' }))
    } finally {
      permit.release()
    }
  })
}

async function inFolder<T>(
  place: Omit<WriteTurn, 'folder' | 'name'>,
  create: boolean,
  write: (turn: WriteTurn) => Promise<T>,
): Promise<T> {
  const { path, display, signal } = place
  signal.throwIfAborted()
  const folder = await holdFolder(path.base, dirname(path.canonical), { display, create })
  try {
    return await write({ ...place, folder, name: basename(path.canonical) })
  } catch (error) {
    await folder.discard()
    throw error
  } finally {
    await folder.close()
  }
}

/** Tells what a model should know although the write succeeded. */
export function writeNotices({ isDurable }: Published, kept: readonly string[] = []): string[] {
  return [
    ...(kept.length === 0 ? [] : [`[kept the file's ${kept.join(' and ')}]`]),
    ...(isDurable ? [] : ['[the folder could not be synced to disk: a power cut may undo this]']),
  ]
}
