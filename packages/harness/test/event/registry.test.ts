import { describe, expect, it } from 'vitest'
import { type EventType, eventRegistry } from '../../src/index.ts'

/** Class, scope and whether it ends a turn, of every type of event: a new type must be placed here on purpose. */
const table: Readonly<Record<EventType, readonly [string, string, boolean]>> = {
  SessionStarted: ['enduring', 'session', false],
  SessionActive: ['enduring', 'session', false],
  SessionIdle: ['enduring', 'session', false],
  SessionStopped: ['enduring', 'session', false],
  ConfigurationAdopted: ['enduring', 'session', false],
  ActiveLoopChanged: ['enduring', 'session', false],
  LoopStarted: ['enduring', 'loop', false],
  LoopIdle: ['enduring', 'loop', false],
  LoopModeChanged: ['enduring', 'loop', false],
  LoopInferenceChanged: ['enduring', 'loop', false],
  TurnStarted: ['enduring', 'loop', false],
  TurnFoldedInto: ['enduring', 'loop', false],
  TurnRejected: ['enduring', 'loop', false],
  TurnDone: ['enduring', 'loop', true],
  TurnFailed: ['enduring', 'loop', true],
  TurnInterrupted: ['enduring', 'loop', true],
  InputCancelled: ['enduring', 'loop', false],
  StepDone: ['enduring', 'loop', false],
  PermissionRequested: ['enduring', 'loop', false],
  UserInputRequested: ['enduring', 'loop', false],
  PermissionDecided: ['enduring', 'loop', false],
  GateResolved: ['enduring', 'loop', false],
  CompactionCommitted: ['enduring', 'loop', false],
  CompactionRejected: ['enduring', 'loop', false],
  ProcessStarted: ['enduring', 'loop', false],
  ProcessBackgrounded: ['enduring', 'loop', false],
  ProcessStopRequested: ['enduring', 'loop', false],
  ProcessCompleted: ['enduring', 'loop', false],
  ProcessLost: ['enduring', 'loop', false],
  InputQueued: ['ephemeral', 'loop', false],
  TokenDelta: ['ephemeral', 'loop', false],
  ThinkingDelta: ['ephemeral', 'loop', false],
  ToolInputDelta: ['ephemeral', 'loop', false],
  Retrying: ['ephemeral', 'loop', false],
  ToolCallStarted: ['ephemeral', 'loop', false],
  ToolCallCompleted: ['ephemeral', 'loop', false],
  ContextPressure: ['ephemeral', 'loop', false],
  ToolProgress: ['ephemeral', 'loop', false],
  HookFailed: ['ephemeral', 'loop', false],
}

describe('eventRegistry', () => {
  it('places every type of event', () => {
    const placed = Object.fromEntries(
      Object.entries(eventRegistry).map(([type, traits]) => [type, [traits.class, traits.scope, traits.endsTurn]]),
    )

    expect(placed).toEqual(table)
  })

  it('has a schema for what is stored, and for nothing else', () => {
    const stored = Object.entries(eventRegistry).filter(([, traits]) => 'schema' in traits)

    expect(stored.every(([, traits]) => traits.class === 'enduring')).toBe(true)
    expect(stored).toHaveLength(Object.values(table).filter(([kind]) => kind === 'enduring').length)
  })
})
