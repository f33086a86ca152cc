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

/** What the loop knows of a file now. */
export function observedHash(observations: FileObservations, { canonical, isContained }: ResolvedPath) {
  if (!isContained) return Promise.resolve(undefined)
  return observations.withPath(canonical, async ({ current }) =>
    typeof current === 'object' ? current.hash : undefined,
  )
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
