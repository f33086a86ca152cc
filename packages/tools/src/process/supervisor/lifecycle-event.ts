import { headWithin, uuidV7 } from '@looprig/core'
import type { ProcessSignal } from '../../contract/runner.ts'
import type { ProcessLifecycle, ProcessReason } from '../../contract/session-resource.ts'
import { printable } from '../../files/printable.ts'
import { isFinal, type Manifest } from './manifest.ts'

/** The event of a process that has just started. */
export function startEvent(manifest: Manifest, isBackground: boolean): ProcessLifecycle {
  const { events } = manifest
  return isBackground
    ? { ...common(manifest), eventId: events.backgrounded, kind: 'backgrounded' }
    : { ...common(manifest), eventId: events.started, kind: 'started' }
}

const stopReasons: Record<ProcessSignal, ProcessReason> = {
  interrupt: 'interrupted',
  terminate: 'terminated',
  kill: 'killed',
}

/** The event of a process that is about to be told to stop. */
export function stopEvent(manifest: Manifest, signal: ProcessSignal): ProcessLifecycle {
  return { ...common(manifest), eventId: uuidV7(), kind: 'stop_requested', reason: stopReasons[signal] }
}

/** The event of a process that has ended, or was lost; the same for the same manifest. */
export function endEvent(manifest: Manifest): ProcessLifecycle {
  const { events, state, exitCode, finishedAt, reason, diagnostic } = manifest
  const isLost = state === 'lost_on_restore'
  return {
    ...common(manifest),
    eventId: isLost ? events.lost : events.completed,
    kind: isLost ? 'lost' : 'completed',
    ...(reason === undefined ? {} : { reason }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(diagnostic === undefined || !(isLost || state === 'failed') ? {} : { diagnostic }),
  }
}

/** The most bytes of a command in a notice. */
const maxNoticeCommandBytes = 120

/** What the model is told of an end that it did not see: never the output. The same for the same manifest. */
export function endNotice(manifest: Manifest): string {
  const { handle, command, state, exitCode } = manifest
  const line = printable(command)
  const head = headWithin(line, maxNoticeCommandBytes)
  const name = head === line ? line : `${head}…`
  const how = exitCode === undefined ? state : `${state} with code ${exitCode}`
  return `The background process ${handle} (${name}) has ended: ${how}. Its output can be read with ProcessOutput.`
}

function common(manifest: Manifest): Omit<ProcessLifecycle, 'eventId' | 'kind'> {
  const { owner, handle, executionId, state, createdAt, startedAt } = manifest
  return {
    loopId: owner.loopId,
    processId: handle,
    executionId,
    state: isFinal(state) || startedAt !== undefined ? state : 'starting',
    createdAt,
    ...(startedAt === undefined ? {} : { startedAt }),
  }
}
