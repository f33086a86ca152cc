import { isLooprigError } from '@looprig/core'
import type { FileObservations } from '../../contract/file-observations.ts'
import { openRegularFile } from '../../files/open-regular-file.ts'
import type { ResolvedPath } from '../../files/resolved-path.ts'
import { type CurrentFile, holdCurrent, staleFile } from './current-file.ts'

/**
 * What was at the place when a write was prepared: the preview shows the way from there. `isObserved`: it is what the loop
 * had read, so that it may still be overwritten after a restart, which forgets what was read.
 */
export type WriteBase = 'absent' | { readonly hash: string; readonly isObserved: boolean }

/** What a loop knows of a file when a write of it is prepared. */
export interface KnownFile {
  /** The hash that the loop has read or written last. */
  readonly known: string | undefined
  /** A person was asked about this very write by an earlier process, which knew what its loop had read. */
  readonly askedBefore: boolean
}

/**
 * The base of bytes that are there. What a person was asked about before a restart is taken as read: had it not been, the
 * write that is prepared now is another one than the person was shown, and stale.
 */
export function presentBase(hash: string, { known, askedBefore }: KnownFile): Exclude<WriteBase, 'absent'> {
  return { hash, isObserved: askedBefore || known === hash }
}

/** Looks at what is about to be written; undefined when nothing is there. */
export async function withPresent<T>(
  path: ResolvedPath,
  display: string,
  use: (current: CurrentFile | undefined) => Promise<T>,
): Promise<T> {
  const file = await openRegularFile(path.base, path.canonical, display).catch((error: unknown) => {
    if (isLooprigError(error) && error.code === 'not_found') return undefined
    throw error
  })
  if (file === undefined) return use(undefined)
  try {
    return await use(await holdCurrent(file, () => path.canonical, display))
  } finally {
    await file.handle.close()
  }
}

/** What the loop knows of a file now; of one outside of the workspace it never knows anything. */
export async function knownFile(
  observations: FileObservations,
  { canonical, isContained }: ResolvedPath,
  askedBefore: true | undefined,
): Promise<KnownFile> {
  if (!isContained) return { known: undefined, askedBefore: false }
  const known = await observations.withPath(canonical, async ({ current }) =>
    typeof current === 'object' ? current.hash : undefined,
  )
  return { known, askedBefore: askedBefore === true }
}

/**
 * Proves that a loop may overwrite a file: it has read these very bytes, and they are those that the preview shows.
 *
 * @param known - the hash that the loop has read or written last.
 * @param isSameAsPreviewed - says whether bytes with the hash are what the person saw, or follow from it.
 * @throws ToolError `stale_file`
 */
export function checkKnown(
  hash: string,
  { base, known, display }: { readonly base: WriteBase; readonly known: string | undefined; readonly display: string },
  isSameAsPreviewed: (baseHash: string) => boolean = (baseHash) => baseHash === hash,
): void {
  if (base === 'absent') throw staleFile(display, 'did not exist when this was prepared')
  if (known === undefined && !base.isObserved) throw staleFile(display, 'must be read before it is changed')
  if ((known ?? base.hash) !== hash) throw staleFile(display, 'has changed since it was read')
  if (!isSameAsPreviewed(base.hash)) throw staleFile(display, 'has changed since the preview')
}
