import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { noiseFolders } from '../noise.ts'
import type { SearchRequest } from './search.ts'

/** The most folders that are looked into. */
const maxFolders = 50_000

/** Names of the noise folders that a search meets, since ripgrep does not tell. Of a huge tree, those near the top. */
export async function noiseBelow(request: SearchRequest, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const met = new Set<string>()
  if (request.isFile || !request.recursive || request.includeNoise) return met
  const folders = [request.path]
  for (let at = 0; at < folders.length && at < maxFolders; at += 1) {
    signal.throwIfAborted()
    const folder = folders[at] ?? ''
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue
      const path = join(folder, entry.name)
      if (!noiseFolders.has(entry.name)) folders.push(path)
      else if (!request.guard.deniedRead(path)) met.add(entry.name)
    }
  }
  return met
}
