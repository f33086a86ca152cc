import { byteLength, data, type LoopId, type ToolExecutionId } from '@looprig/core'
import { bodySchema, idSchema } from './body-schema.ts'
import type {
  ProcessBackgrounded,
  ProcessCompleted,
  ProcessLost,
  ProcessStarted,
  ProcessStopRequested,
} from './process-event.ts'

const time = data.int()
const ofProcess = {
  loopId: idSchema<LoopId>(),
  processId: data.where<string>(
    (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(value),
    'expected the id of a process',
  ),
  toolExecutionId: idSchema<ToolExecutionId>(),
  processCreatedAt: time,
}
const diagnostic = data.where<string>(
  (value) => typeof value === 'string' && byteLength(value) <= 512,
  'expected a text of at most 512 bytes',
)
const enduring = { class: 'enduring', scope: 'loop', endsTurn: false } as const

/** What is true of the events of processes for good; a part of the registry. */
export const processTraits = {
  ProcessStarted: {
    ...enduring,
    schema: bodySchema<ProcessStarted>()({
      type: data.literal('ProcessStarted'),
      ...ofProcess,
      processStartedAt: time,
    }),
  },
  ProcessBackgrounded: {
    ...enduring,
    schema: bodySchema<ProcessBackgrounded>()({
      type: data.literal('ProcessBackgrounded'),
      ...ofProcess,
      processStartedAt: time,
    }),
  },
  ProcessStopRequested: {
    ...enduring,
    schema: bodySchema<ProcessStopRequested>()({
      type: data.literal('ProcessStopRequested'),
      ...ofProcess,
      state: data.oneOf(['starting', 'running']),
      reason: data.oneOf(['interrupted', 'terminated', 'killed']),
      processStartedAt: time.exactOptional(),
    }),
  },
  ProcessCompleted: {
    ...enduring,
    schema: bodySchema<ProcessCompleted>()({
      type: data.literal('ProcessCompleted'),
      ...ofProcess,
      state: data.oneOf(['exited', 'failed', 'timed_out', 'interrupted', 'terminated', 'killed']),
      reason: data.oneOf([
        'exited',
        'failed',
        'timed_out',
        'interrupted',
        'terminated',
        'killed',
        'runner_shutdown',
        'output_limit',
      ]),
      exitCode: data.int({ min: -2_147_483_648 }).exactOptional(),
      processStartedAt: time.exactOptional(),
      processFinishedAt: time,
      diagnostic: diagnostic.exactOptional(),
    }),
  },
  ProcessLost: {
    ...enduring,
    schema: bodySchema<ProcessLost>()({
      type: data.literal('ProcessLost'),
      ...ofProcess,
      processStartedAt: time.exactOptional(),
      processFinishedAt: time.exactOptional(),
      diagnostic: diagnostic.exactOptional(),
    }),
  },
} as const
