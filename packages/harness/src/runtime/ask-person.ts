import { errorResult, type Requirement } from '@looprig/tools'
import { createDeferred } from '../clock/deferred.ts'
import { newId } from '../clock/id-source.ts'
import type { GateAction, PermissionRequested } from '../event/gate-event.ts'
import { eventDraft, stepDraft } from '../journal/record-draft.ts'
import type { AskedCall } from './decide-calls.ts'
import { type OpenStep, openStepBody } from './open-step.ts'
import { type ShapedResult, shapeResult } from './result-message.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

const actions: readonly GateAction[] = Object.freeze(['approve', 'deny'] as const)

/**
 * Opens the gates of all unmet calls of a step in one append and waits until each is answered, in any order. Returns
 * early when the turn is stopped; the gates stay open then, for the close or for a restore.
 */
export async function askPerson(host: TurnHost, step: OpenStep, asked: readonly AskedCall[]): Promise<void> {
  let left = asked.length
  const answered = createDeferred<void>()
  await host.commit(() => {
    const requests = asked.map((ask) => permissionRequested(host, step, ask))
    const decisions = step.decisions.map((decision) => eventDraft(decision, host.ids))
    return {
      records: [stepDraft(openStepBody(step)), ...decisions, ...requests.map((event) => eventDraft(event, host.ids))],
      head: { status: 'waiting' },
      apply: () => {
        step.recorded = true
        step.decisions = []
        host.setWaiting(true)
        for (const [index, event] of requests.entries()) {
          const ask = asked[index]
          if (ask === undefined) continue
          host.gates.open({ ...step.scope, ...openGate(event) }, (action) => {
            settle(step, ask, action)
            left -= 1
            if (left > 0) return
            host.setWaiting(false)
            answered.resolve()
          })
        }
      },
    }
  })
  await untilAborted(answered.promise, host.signal)
}

function permissionRequested(host: TurnHost, step: OpenStep, { call, unmet }: AskedCall): PermissionRequested {
  call.gateId ??= newId(host.ids, 'GateId')
  return {
    type: 'PermissionRequested',
    ...step.scope,
    gateId: call.gateId,
    toolExecutionId: call.executionId,
    request: call.prepared.request,
    unmet,
    actions,
  }
}

function openGate({ gateId, toolExecutionId, request, unmet }: PermissionRequested) {
  return { gateId, toolExecutionId, request, unmet, actions }
}

function settle(step: OpenStep, { call, unmet }: AskedCall, action: GateAction): void {
  if (step.closed) return
  if (action === 'approve') {
    call.approved = true
    return
  }
  call.result = deniedByPerson(call.toolUseId, unmet)
}

/** The result of a call that a person denied. */
export function deniedByPerson(toolUseId: string, unmet: readonly Requirement[]): ShapedResult {
  const text = `permission denied [not authorized]: ${unmet[0]?.description ?? 'the call'}`
  return shapeResult(toolUseId, errorResult('permission_denied', text), maxDenialBytes)
}

const maxDenialBytes = 4_096
