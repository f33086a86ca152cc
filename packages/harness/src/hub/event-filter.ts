import type { LoopId } from '@looprig/core'
import type { Event } from '../event/event.ts'
import { type EventType, eventRegistry } from '../event/registry.ts'

/** Which events a subscriber wants. Every field that is set must fit; session events pass `loopId`. */
export interface EventFilter {
  readonly types?: readonly EventType[] | undefined
  readonly class?: 'enduring' | 'ephemeral' | undefined
  readonly loopId?: LoopId | undefined
}

/** Makes the test of a filter. */
export function eventPredicate(filter: EventFilter = {}): (event: Event) => boolean {
  const { loopId, class: kind } = filter
  const types = filter.types === undefined ? undefined : new Set<string>(filter.types)
  return (event) => {
    const traits = eventRegistry[event.type]
    if (types !== undefined && !types.has(event.type)) return false
    if (kind !== undefined && traits.class !== kind) return false
    return loopId === undefined || traits.scope === 'session' || ('loopId' in event && event.loopId === loopId)
  }
}
