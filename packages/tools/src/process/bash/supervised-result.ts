import type { JsonObject } from '@looprig/core'
import { errorResult, type ToolResult, textResult } from '../../contract/result.ts'
import { defaultLimitBytes, readOutput } from '../control/read-output.ts'
import type { SupervisedProcess } from '../supervisor/supervised-process.ts'

/** A process that runs on: its id, and what it has printed so far. */
export async function liveResult(process: SupervisedProcess): Promise<ToolResult> {
  const { handle, manifest } = process
  const shown = await readOutput(process, { cursor: 0, limitBytes: defaultLimitBytes, encoding: 'safe_text' })
  return textResult(
    JSON.stringify({
      status: 'running',
      process_id: handle,
      ...(shown.output === '' ? {} : { output: shown.output }),
      next_cursor: shown.nextCursor,
      started_at: timeOf(manifest.startedAt ?? manifest.createdAt),
      backgrounded: true,
    }),
  )
}

/** A process that ended while the call waited. It has an id only where there is more to read. */
export async function terminalResult(process: SupervisedProcess): Promise<ToolResult> {
  const { handle, manifest } = process
  const shown = await readOutput(process, { cursor: 0, limitBytes: defaultLimitBytes, encoding: 'safe_text' })
  const { state, reason, exitCode, startedAt = manifest.createdAt, finishedAt = startedAt } = manifest
  const isWhole = shown.nextCursor >= shown.totalBytes && !shown.isGap && !shown.isBinary
  const json: JsonObject = {
    status: state,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(reason === undefined ? {} : { reason }),
    ...(shown.output === '' ? {} : { output: shown.output }),
    ...(isWhole ? {} : { process_id: handle, next_cursor: shown.nextCursor, total_bytes: shown.totalBytes }),
    started_at: timeOf(startedAt),
    finished_at: timeOf(finishedAt),
    duration_ms: finishedAt - startedAt,
  }
  const isError = state === 'timed_out'
  return isError ? errorResult('timed_out', JSON.stringify(json)) : textResult(JSON.stringify(json))
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
