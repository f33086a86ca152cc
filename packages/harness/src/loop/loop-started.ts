import type { LoopId } from '@looprig/core'
import type { LoopStarted } from '../event/loop-event.ts'
import type { LoopDefinition } from './define-loop.ts'

/** The event with which a loop begins, in its initial mode. */
export function loopStarted(loopId: LoopId, { name, initialMode }: LoopDefinition): LoopStarted {
  return { type: 'LoopStarted', loopId, name, ...(initialMode === '' ? {} : { mode: initialMode }) }
}
