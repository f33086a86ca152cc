import { assertNever } from '@looprig/core'
import type { TurnResult } from '@looprig/harness'
import type { LeaveReason } from './stop-requests.ts'

/** How the program ends: 0 answered, 1 failed, 2 usage (nothing was written), 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130

/** The exit code of a run that left before it was done. Who stopped reading got what they wanted. */
export const leaveCodes: Record<LeaveReason, ExitCode> = { interrupted: 130, output_closed: 0, output_failed: 1 }

/** The exit code of one question's outcome. */
export function exitCodeOf(status: TurnResult['status']): ExitCode {
  switch (status) {
    case 'done':
      return 0
    case 'interrupted':
    case 'waiting':
      return 130
    case 'failed':
    case 'cancelled':
    case 'rejected':
      return 1
    default:
      return assertNever(status, 'turn status')
  }
}
