import type { Message } from '@looprig/core'
import { InvalidEventError } from '../error/errors.ts'
import type { CompactionCommitted } from './context-event.ts'
import type { EnduringBody } from './event.ts'
import type { ProcessCompleted } from './process-event.ts'
import { isEventType } from './registry.ts'
import type { StepDone } from './step-event.ts'

/**
 * Checks what types cannot say of an event before it is journalled: `StepDone` holds one assistant message, then one
 * result per call, in call order; `CompactionCommitted` keeps a tail that was there, and its summary is one text;
 * `ProcessCompleted` tells of one end.
 *
 * @throws InvalidEventError naming event, field and rule.
 */
export function validateEvent(event: EnduringBody): void {
  const type: string = event.type
  if (!isEventType(type)) throw new InvalidEventError(type, 'type', 'is not a known event type')
  if (event.type === 'StepDone') validateStepDone(event)
  if (event.type === 'CompactionCommitted') validateCompaction(event)
  if (event.type === 'ProcessCompleted') validateCompletion(event)
}

/** A process that was ended from outside may tell what for. */
const endedFor: readonly string[] = ['runner_shutdown', 'output_limit']

function validateCompletion({ state, reason, exitCode, diagnostic }: ProcessCompleted): void {
  const wasEnded = state === 'terminated' || state === 'killed'
  if (reason !== state && !(wasEnded && endedFor.includes(reason))) {
    throw new InvalidEventError('ProcessCompleted', 'reason', 'is invalid')
  }
  if ((exitCode === undefined) === (state === 'exited')) {
    throw new InvalidEventError('ProcessCompleted', 'exitCode', state === 'exited' ? 'must be set' : 'is invalid')
  }
  if (diagnostic !== undefined && state !== 'failed') {
    throw new InvalidEventError('ProcessCompleted', 'diagnostic', 'is invalid')
  }
}

function validateCompaction({ through, tailFrom, summary }: CompactionCommitted): void {
  if (!(tailFrom > 0 && tailFrom <= through + 1)) {
    throw new InvalidEventError('CompactionCommitted', 'tailFrom', 'is invalid')
  }
  const [block, ...more] = summary.blocks
  if (block?.type !== 'text' || block.text.trim() === '' || more.length > 0) {
    throw new InvalidEventError('CompactionCommitted', 'summary', 'is invalid')
  }
}

function validateStepDone({ messages }: StepDone): void {
  const all: unknown = messages
  if (!Array.isArray(all)) throw new InvalidEventError('StepDone', 'messages', 'must be set')
  if (!isWholeStep(all)) throw new InvalidEventError('StepDone', 'messages', 'is invalid')
}

function isWholeStep([first, ...results]: readonly (Message | null | undefined)[]): boolean {
  if (first?.role !== 'assistant' || !Array.isArray(first.blocks)) return false
  const answered = new Set<string>()
  for (const block of first.blocks) {
    if (block.type !== 'tool_use') continue
    const result = results[answered.size]
    if (result?.role !== 'tool' || result.toolUseId !== block.id) return false
    // a second call with an id does not make the set larger
    if (answered.size === answered.add(block.id).size) return false
  }
  return answered.size === results.length
}
