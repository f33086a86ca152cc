import { assertNever } from '@looprig/core'
import { errorResult, type ToolResult } from '@looprig/tools'
import type { DenyReason } from '../event/gate-event.ts'

/** Why a call is denied without a person's word. */
export type Denial = DenyReason | 'access_gate_missing' | 'gate_capacity'

/** What the model reads of a call that a policy denied; `description` is that of the requirement at fault. */
export function deniedResult(reason: Denial, description: string): ToolResult {
  return errorResult('permission_denied', `permission denied [${denialWord(reason)}]: ${description}`)
}

function denialWord(reason: Denial): string {
  switch (reason) {
    case 'access_denied':
      return 'out of scope'
    case 'rule_denied':
    case 'approval_required':
      return 'not authorized'
    case 'access_error':
    case 'rule_error':
    case 'access_gate_missing':
    case 'gate_capacity':
      return 'unavailable'
    default:
      return assertNever(reason, 'denial reason')
  }
}

/** What the model reads of a question that nobody can be asked. */
export function unavailableResult(): ToolResult {
  return errorResult('unavailable', 'unavailable: nobody is there to answer; go on without the answer')
}
