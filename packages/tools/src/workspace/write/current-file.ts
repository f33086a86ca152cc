import { lstatSync } from 'node:fs'
import { isLooprigError } from '@looprig/core'
import type { HeldFolder } from '../../files/held-folder.ts'
import { type OpenFile, openEntry } from '../../files/open-regular-file.ts'
import type { KeptOwner } from '../../files/publish-file.ts'
import { readAtMost } from '../../files/read-small-file.ts'
import { workspaceError } from '../codes.ts'
import { type TextFacts, TextFactsCollector } from './text-facts.ts'

/** Larger files are neither overwritten nor remembered as read, in bytes. */
export const maxKnownBytes = 64 * 1_024 * 1_024

const chunkBytes = 256 * 1_024

/** The file that is about to be replaced, held open. The caller closes it. */
export interface CurrentFile {
  readonly owner: KeptOwner
  /** Reads all of it. @throws ToolError `too_large`; the signal's reason when it is aborted. */
  readFacts(signal: AbortSignal): Promise<TextFacts>
  /** @throws ToolError `too_large` */
  readBytes(maxBytes: number): Promise<Buffer>
  /** Proves that its name still leads to it, and that nobody wrote to it since it was opened. @throws ToolError `stale_file` */
  checkUnchanged(): void
  close(): Promise<void>
}

/** Opens what is at a name; undefined when nothing is. @throws ToolError as `openEntry`. */
export async function openCurrent(folder: HeldFolder, name: string, display: string): Promise<CurrentFile | undefined> {
  const file = await openEntry(folder, name, display).catch((error: unknown) => {
    if (isLooprigError(error) && error.code === 'not_found') return undefined
    throw error
  })
  return file && holdCurrent(file, () => folder.at(name), display)
}

/** Takes an open file over. */
export async function holdCurrent({ handle }: OpenFile, path: () => string, display: string): Promise<CurrentFile> {
  const opened = await handle.stat({ bigint: true })
  return {
    owner: { mode: Number(opened.mode), uid: Number(opened.uid), gid: Number(opened.gid) },
    async readFacts(signal) {
      if (opened.size > maxKnownBytes) throw tooLarge(display)
      const collector = new TextFactsCollector()
      const chunk = Buffer.allocUnsafe(chunkBytes)
      for (let at = 0; ; ) {
        signal.throwIfAborted()
        const { bytesRead } = await handle.read(chunk, 0, chunkBytes, at)
        if (bytesRead === 0) return collector.facts()
        at += bytesRead
        if (at > maxKnownBytes) throw tooLarge(display)
        collector.push(chunk.subarray(0, bytesRead))
      }
    },
    readBytes: (maxBytes) => readAtMost(handle, maxBytes, display),
    checkUnchanged() {
      const named = lstatSync(path(), { bigint: true, throwIfNoEntry: false })
      const isSame = (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
        (key) => named?.[key] === opened[key],
      )
      if (!isSame) throw staleFile(display, 'changed while it was written')
    },
    close: () => handle.close(),
  }
}

/** Says that a file is not the one that the loop knows, or that the person saw. */
export function staleFile(display: string, what: string): Error {
  return workspaceError('stale_file', `${display} ${what}; read it again, then retry`)
}

function tooLarge(display: string): Error {
  return workspaceError('too_large', `${display} has more than ${maxKnownBytes} bytes, too many to be overwritten`)
}
