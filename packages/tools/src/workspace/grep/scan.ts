import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { readFlags } from '../../files/open-regular-file.ts'
import { type FileMatches, maxFileBytes, maxMatches, type SearchRequest } from './search.ts'
import { surroundMatches } from './surround.ts'
import type { WorkerInput, WorkerOutput } from './worker-protocol.ts'

/** The memory of the worker, in MiB: enough for the largest file decoded. */
const maxWorkerMemory = 512

/**
 * Searches files with re2js in a worker: the engine that is always there.
 *
 * @throws the signal's reason when it is aborted. The worker is gone in each case, wherever it was.
 */
export async function* scan(paths: readonly string[], request: SearchRequest): AsyncGenerator<FileMatches> {
  request.signal.throwIfAborted()
  if (paths.length === 0) return
  const worker = startWorker(paths, request)
  worker.on('error', () => undefined) // without a listener it would end the process; whoever waits is told as well
  try {
    for (;;) {
      const found = await nextFile(worker, request.signal)
      if (found === undefined) return
      const { path, isBinary, bytes, matches } = found
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      yield { path, isBinary, lines: isBinary ? [] : surroundMatches(content, matches, request.contextLines) }
    }
  } finally {
    await worker.terminate()
  }
}

function startWorker(paths: readonly string[], { pattern }: SearchRequest): Worker {
  const { re2: source, literal } = pattern
  const workerData: WorkerInput = { paths, source, literal, readFlags, maxFileBytes, maxLines: maxMatches + 1 }
  // the build puts the worker beside every chunk, under this very name
  return new Worker(new URL('./re2-worker.js', import.meta.url), {
    workerData,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxWorkerMemory },
  })
}

/** Asks for the next file. A failure of the worker rejects, and so does the signal. */
async function nextFile(worker: Worker, signal: AbortSignal): Promise<WorkerOutput> {
  worker.postMessage('next')
  const [found]: WorkerOutput[] = await once(worker, 'message', { signal })
  return found
}
