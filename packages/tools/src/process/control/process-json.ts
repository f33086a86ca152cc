import type { JsonObject } from '@looprig/core'
import { isLooprigError } from '@looprig/core'
import type { ProcessToolCode } from '../codes.ts'
import type { SupervisedProcess } from '../supervisor/supervised-process.ts'
import { type ReadOutput, readOutput } from './read-output.ts'

/** What of a process any answer tells: no pid, no owner, no path. */
export function stateJson(process: SupervisedProcess): JsonObject {
  const { state, exitCode, reason, startedAt, finishedAt } = process.manifest
  return {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(reason === undefined ? {} : { reason }),
    ...(startedAt === undefined ? {} : { started_at: timeOf(startedAt) }),
    ...(finishedAt === undefined ? {} : { finished_at: timeOf(finishedAt) }),
    status: state,
  }
}

/** A process with a part of its output, as ProcessOutput and ProcessInput answer. */
export async function snapshotJson(process: SupervisedProcess, request: ReadOutput): Promise<JsonObject> {
  const { status, ...rest } = stateJson(process)
  const head = { process_id: process.handle, ...(status === undefined ? {} : { status }) }
  try {
    const shown = await readOutput(process, request)
    return {
      ...head,
      output: shown.output,
      start_cursor: shown.startCursor,
      next_cursor: shown.nextCursor,
      total_bytes: shown.totalBytes,
      ...(shown.isGap ? { gap: true } : {}),
      ...(shown.isNormalized ? { normalized: true } : {}),
      ...(shown.isBinary ? { binary: true, artifact: { id: process.handle, encoding: 'base64' } } : {}),
      ...rest,
    }
  } catch (error) {
    return { ...head, total_bytes: process.totalBytes, ...rest, error: readErrorCode(error) }
  }
}

/** The answer for a process that there is not, and for one of somebody else. */
export function notFoundJson(processId: string): JsonObject {
  return { process_id: processId, error: 'not_found' }
}

function readErrorCode(error: unknown): ProcessToolCode {
  return isLooprigError(error) && error.code === 'cursor_ahead' ? 'cursor_ahead' : 'spool_corrupt'
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
