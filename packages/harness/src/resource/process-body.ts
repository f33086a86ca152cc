import type { Schema } from '@looprig/core'
import type { ProcessLifecycle } from '@looprig/tools'
import { InvalidEventError } from '../error/errors.ts'
import type { ProcessEvent } from '../event/process-event.ts'
import { eventRegistry } from '../event/registry.ts'
import { validateEvent } from '../event/validate-event.ts'

/** What only some steps in the life of a process tell, with its name in the event. */
const memberNames = {
  state: 'state',
  reason: 'reason',
  exitCode: 'exitCode',
  startedAt: 'processStartedAt',
  finishedAt: 'processFinishedAt',
  diagnostic: 'diagnostic',
} as const

type Member = keyof typeof memberNames

interface Told {
  readonly type: ProcessEvent['type']
  readonly members: readonly Member[]
  /** What goes without saying: it may be told, so, and is not kept. */
  readonly implied: { readonly [M in Member]?: string }
}

const toldBy: { readonly [Kind in ProcessLifecycle['kind']]: Told } = {
  started: { type: 'ProcessStarted', members: ['startedAt'], implied: { state: 'running' } },
  backgrounded: { type: 'ProcessBackgrounded', members: ['startedAt'], implied: { state: 'running' } },
  stop_requested: { type: 'ProcessStopRequested', members: ['state', 'reason', 'startedAt'], implied: {} },
  completed: {
    type: 'ProcessCompleted',
    members: ['state', 'reason', 'exitCode', 'startedAt', 'finishedAt', 'diagnostic'],
    implied: {},
  },
  lost: {
    type: 'ProcessLost',
    members: ['startedAt', 'finishedAt', 'diagnostic'],
    implied: { state: 'lost_on_restore', reason: 'lost_on_restore' },
  },
}

/**
 * What is journalled of a step in the life of a process. A resource may be anybody's code: whatever it tells is checked
 * here, before it is durable.
 *
 * @throws InvalidEventError naming the event and the field.
 */
export function processBody(told: ProcessLifecycle): ProcessEvent {
  const rules = Object.hasOwn(toldBy, told.kind) ? toldBy[told.kind] : undefined
  if (rules === undefined) throw new InvalidEventError('ProcessLifecycle', 'kind', 'is invalid')
  const { type, members, implied } = rules
  const body: { [name: string]: unknown } = {
    type,
    loopId: told.loopId,
    processId: told.processId,
    toolExecutionId: told.executionId,
    processCreatedAt: told.createdAt,
  }
  for (const [member, name] of Object.entries(memberNames) as [Member, string][]) {
    const value = told[member]
    if (value === undefined) continue
    if (members.includes(member)) body[name] = value
    else if (implied[member] !== value) throw new InvalidEventError(type, name, 'is invalid')
  }
  const schema: Schema<ProcessEvent> = eventRegistry[type].schema
  const read = schema.safeParse(body)
  if (!read.success) throw new InvalidEventError(type, String(read.fault.path[0] ?? 'body'), 'is invalid')
  validateEvent(read.data)
  return read.data
}
