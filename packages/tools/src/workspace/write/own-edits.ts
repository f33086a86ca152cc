import type { FileObservations } from '../../contract/file-observations.ts'

/** The most states of one file, and the most files, that are remembered. */
const maxStates = 1_024
const maxFiles = 256

/** The states that a file went through by edits of one loop alone, the present one last. */
const chains = new WeakMap<FileObservations, Map<string, string[]>>()

/** Notes that an edit of this loop led from one state of a file to the next. States are hashes. */
export function noteOwnEdit(observations: FileObservations, path: string, from: string, to: string): void {
  const files = chains.get(observations) ?? new Map<string, string[]>()
  chains.set(observations, files)
  const chain = files.get(path)
  const next = chain?.at(-1) === from ? [...chain.slice(1 - maxStates), to] : [from, to]
  files.delete(path) // the file that was edited last is the last to be forgotten
  files.set(path, next)
  const [oldest] = files.keys()
  if (files.size > maxFiles && oldest !== undefined) files.delete(oldest)
}

/**
 * Says whether a file got from one state to another by nothing but edits of this loop. Each of them was approved, and
 * replaced text that was in the file exactly as often as its preview showed: so edits that were prepared side by side may
 * run one after another.
 */
export function isOwnWork(observations: FileObservations, path: string, from: string, to: string): boolean {
  if (from === to) return true
  const chain = chains.get(observations)?.get(path)
  return chain?.at(-1) === to && chain.includes(from)
}
