import { assertNever } from '@looprig/core'
import { errorResult, type ToolResult, textResult } from '@looprig/tools'
import type { GateResolved, PermissionRequested } from '../event/gate-event.ts'
import type { GateRequest } from '../gate/open-gate.ts'
import { deniedResult, unavailableResult } from './denial.ts'
import { type ShapedResult, shapeResult, stepShare } from './result-message.ts'

/** A gate that is closed: what was asked, and what came of it. */
export interface ClosedGate {
  readonly asked: GateRequest
  readonly event: GateResolved
}

/**
 * The result that a call has by the resolution of its gate, or nothing when it may run. It follows from the journal
 * alone, so that a live session and a restore say the same.
 *
 * @param calls - how many calls the step has.
 */
export function gateResult(gate: ClosedGate, toolUseId: string, calls: number): ShapedResult | undefined {
  const result = resultOf(gate)
  return result === undefined ? undefined : shapeResult(toolUseId, result, stepShare(calls))
}

function resultOf({ asked, event }: ClosedGate): ToolResult | undefined {
  if (asked.type === 'UserInputRequested') {
    // a running tool reads the answer itself
    if (asked.live === true || event.reason === 'abandoned') return undefined
    if (event.reason === 'answered') return textResult(event.answer ?? '')
    if (event.reason === 'timeout') return errorResult('timed_out', 'timed_out: nobody answered the question in time')
    const isDenied = event.denial !== undefined && event.denial !== 'approval_required'
    return isDenied ? deniedResult(event.denial, 'the question') : unavailableResult()
  }
  const description = asked.unmet[0]?.description ?? 'the call'
  switch (event.reason) {
    case 'answered':
      return isApproval(asked, event) ? undefined : deniedByPerson(description)
    case 'timeout':
      return errorResult('permission_denied', `permission denied [timeout]: nobody answered in time: ${description}`)
    case 'denied':
      return deniedResult(event.denial ?? 'access_denied', description)
    case 'rule':
    case 'abandoned':
      return undefined
    default:
      return assertNever(event.reason, 'reason of a resolution')
  }
}

/** Whether a person approved. An action that was not offered is none: records of other processes are not trusted to be ours. */
export function isApproval(asked: PermissionRequested, { reason, action }: GateResolved): boolean {
  return reason === 'answered' && action !== undefined && action !== 'deny' && asked.actions.includes(action)
}

function deniedByPerson(description: string): ToolResult {
  return errorResult('permission_denied', `permission denied [not authorized]: ${description}`)
}
