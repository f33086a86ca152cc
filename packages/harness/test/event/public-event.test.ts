import type { GateId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig, type Event, interactiveGate, publicEvents } from '../../src/index.ts'
import { recordSession } from '../../src/testing.ts'
import { tempFolder } from '../journal/stores.ts'
import { allowing, kind, model, streamingClient, textEvents } from '../session/open-session.ts'

/** A session in a real folder whose every text names that folder. */
async function sessionIn(root: string) {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    requires: ['workspace'],
    inputSchema: z.strictObject({ path: z.string() }),
    setup: ({ workspace }) => workspace.root,
    prepare: ({ path }) => ({
      summary: `look at ${path}`,
      artifact: { path },
      requirements: [{ kind, scope: path, match: path, description: `read ${path}` }],
    }),
    run: ({ path }, { deps, progress }) => {
      progress?.(`reading ${path}`)
      return textResult(`${deps} holds ${path}`)
    },
  })
  const client = streamingClient(async function* (n) {
    yield { type: 'block_start', blockIndex: 0, block: { type: 'thinking' } }
    yield { type: 'thinking_delta', blockIndex: 0, text: `it is ${root}` }
    yield { type: 'block_state', blockIndex: 0, state: { format: 'opaque', data: { secret: 'provider-state' } } }
    yield { type: 'block_end', blockIndex: 0 }
    yield* textEvents(`see ${root}/a.ts.`, 1)
    if (n === 1) {
      yield { type: 'block_start', blockIndex: 2, block: { type: 'tool_use', id: 'c1', name: 'look' } }
      yield { type: 'tool_input_delta', blockIndex: 2, text: JSON.stringify({ path: `${root}/a.ts` }) }
      yield { type: 'block_end', blockIndex: 2 }
    }
    yield { type: 'finish', reason: n === 1 ? 'tool_use' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  })
  const gate = interactiveGate({ access: [allowing('ask')] })
  const loop = defineLoop({ name: 'main', client, model, tools: [look], gate })
  const rig = defineRig({ loops: [loop], store: memoryStore(), workspace: { root } })
  await using session = await rig.newSession()
  const recording = recordSession(session, { since: 0 })
  const withAddress = { ...model, baseUrl: 'https://inside.test/v1' }
  await session.setModel(withAddress)
  const turn = session.submit(`look into ${root}`)
  const { gateId } = await recording.waitFor('PermissionRequested')
  await session.answer(gateId as GateId, { action: 'approve', by: 'ann@inside.test' })
  await turn.result()
  await recording.waitFor('SessionIdle')
  return { id: session.id, events: recording.deliveries.map(({ event }) => event) }
}

describe('publicEvents', () => {
  it('names the workspace by its session, wherever it stands, and tells no address and no audit', async () => {
    const root = tempFolder()
    const { id, events } = await sessionIn(root)
    const raw = JSON.stringify(events)
    for (const secret of [root, 'ann@inside.test', 'inside.test/v1', 'provider-state']) expect(raw).toContain(secret)

    const shown = events.flatMap(publicEvents({ workspace: root, deltas: true }) as (event: Event) => Event)
    const text = JSON.stringify(shown)

    for (const secret of [root, 'ann@inside.test', 'inside.test', 'provider-state']) expect(text).not.toContain(secret)
    expect(text).toContain(`see /sessions/${id}/workspace/a.ts.`)
    const [started] = shown
    expect(started).toMatchObject({ type: 'SessionStarted', config: { workspace: `/sessions/${id}/workspace` } })
    expect(Object.isFrozen(started)).toBe(true)
  })

  it('keeps every other event, with its place and time', async () => {
    const root = tempFolder()
    const { events } = await sessionIn(root)
    const show = publicEvents({ workspace: root })

    const left = events.filter((event) => show(event) === undefined).map(({ type }) => type)

    expect([...new Set(left)].toSorted()).toEqual(['ThinkingDelta', 'TokenDelta', 'ToolInputDelta'])
    for (const event of events) {
      const shown = show(event)
      if (shown === undefined || !('eventId' in event)) continue
      expect(shown).toMatchObject({ type: event.type, eventId: event.eventId, createdAt: event.createdAt })
    }
  })

  it('leaves out how a call was decided', () => {
    const scope = { loopId: 'l', turnId: 't', stepId: 's', toolExecutionId: 'x', sessionId: 'id' }
    const decided = { ...scope, type: 'PermissionDecided', effect: 'deny', reason: 'rule_denied', subject: 'look' }
    const rule = { effect: 'allow', kind, match: '/secret' }
    const resolved = { ...scope, type: 'GateResolved', gateId: 'g', reason: 'rule', rule, rules: [], by: 'ann' }
    const show = publicEvents()

    expect(show(decided as unknown as Event)).toBeUndefined()
    expect(show(resolved as unknown as Event)).toEqual({ ...scope, type: 'GateResolved', gateId: 'g', reason: 'rule' })
  })

  it.each([
    ['/app', 'in ./web/app/x', 'in ./web/app/x'],
    ['/app', 'in /apple', 'in /apple'],
    ['/app', 'in /app.', 'in /sessions/id/workspace.'],
    ['/app', 'file:///app/x', 'file:///sessions/id/workspace/x'],
    ['/a+b(c', '"/a+b(c/d"', '"/sessions/id/workspace/d"'],
    ['/', 'in /app', 'in /app'],
    ['', 'in /app', 'in /app'],
  ])('with the workspace %s rewrites %j to %j', (workspace, text, expected) => {
    const event = { type: 'ToolProgress', sessionId: 'id', text } as unknown as Event

    expect(publicEvents({ workspace })(event)).toMatchObject({ text: expected })
  })
})
