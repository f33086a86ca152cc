import { type Delivery, defineLoop, defineRig, interactiveGate, type Session } from '@looprig/harness'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, readRequirement, textResult } from '@looprig/tools'
import { describe, expect, it, onTestFinished } from 'vitest'
import { followSession, followSubmission } from '../src/follow.ts'

const look = defineTool({
  name: 'Look',
  description: 'Look.',
  inputSchema: { jsonSchema: { type: 'object' }, parse: () => ({}) },
  replaySafe: true,
  prepare: () => ({ summary: 'look', artifact: {}, requirements: [readRequirement('/a')] }),
  run: () => textResult('seen'),
})

/** Each call makes one enduring event: more of them than a subscriber's buffer holds. */
const manyCalls = { toolCalls: Array.from({ length: 300 }, (_, index) => ({ id: `c${index}`, name: 'Look' })) }

async function openSession(): Promise<Session> {
  const loop = defineLoop({
    name: 'looker',
    client: scriptedClient([manyCalls, { text: 'done' }, { text: 'second' }]),
    model: { provider: 'script', name: 'script', capabilities: { tools: true } },
    tools: [look],
    gate: interactiveGate({ access: [{ kinds: ['filesystem.read'], accessFor: () => 'allow' }] }),
    limits: { calls: 400 },
  })
  const session = await defineRig({ loops: [loop], store: memoryStore() }).newSession()
  onTestFinished(() => session.shutdown())
  return session
}

function enduringTypes(deliveries: readonly Delivery[]): string[] {
  return deliveries.filter(({ seq }) => seq !== null).map(({ event }) => event.type)
}

const firstTurn = [
  'TurnStarted',
  ...Array.from({ length: 300 }, () => 'PermissionDecided'),
  'StepDone',
  'StepDone',
  'TurnDone',
]

describe('followSubmission', () => {
  it('misses no enduring event when its reader was too slow, and ends with its own turn', async () => {
    const session = await openSession()
    const submission = session.submit('first')
    await submission.result()
    await session.submit('second').result()

    const deliveries: Delivery[] = []
    for await (const delivery of followSubmission(session, submission)) deliveries.push(delivery)

    expect(enduringTypes(deliveries)).toEqual(firstTurn)
  })
})

describe('followSession', () => {
  it('misses no enduring event when its reader was too slow', async () => {
    const session = await openSession()
    const following = followSession(session)
    const first = following.next()
    await session.submit('first').result()
    const deliveries: Delivery[] = []

    const { value } = await first
    if (value !== undefined) deliveries.push(value)
    await session.shutdown()
    for await (const delivery of following) deliveries.push(delivery)

    const seqs = deliveries.flatMap(({ seq }) => seq ?? [])
    expect(enduringTypes(deliveries).filter((type) => firstTurn.includes(type))).toEqual(firstTurn)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  })
})
