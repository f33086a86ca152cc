import { isLooprigError } from '@looprig/core'
import type { ToolError } from '../../contract/errors.ts'
import { type ProcessToolCode, processError } from '../codes.ts'

const known: readonly ProcessToolCode[] = [
  'supervisor_shutting_down',
  'lifetime_enforcement_unavailable',
  'process_quota_exceeded',
  'process_setup_failed',
  'pty_unavailable',
  'spawn_failed',
  'workspace_busy',
  'interrupted',
]

/** What a process did not start for, as a code that a model may read; anything else is `process_setup_failed`. */
export function startError(error: unknown, signal: AbortSignal): ToolError {
  const code = isLooprigError(error) ? known.find((one) => one === error.code) : undefined
  if (code !== undefined) return processError(code, undefined, error)
  return processError(signal.aborted ? 'interrupted' : 'process_setup_failed', undefined, error)
}
