/** Bash with declared access in real sessions: one question for all of it, and nothing runs without the answer. */
import { existsSync } from 'node:fs'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls, onlyGate } from './catalogue-world.ts'

const command = 'echo ran > marker'
const declared = {
  command,
  access: { network: [{ host: 'example.com', port: 443 }], write: [{ scope: 'tree', path: '/opt/out' }] },
} as const

describe.each(storeKinds)('a command with declared access ($name)', ({ open }) => {
  async function asked() {
    const world = new CatalogueWorld(open())
    const opened = await world.open({ says: [calls(['Bash', declared]), { text: 'ok' }] })
    const submission = opened.session.submit('Go')
    return { ...opened, world, submission, gate: await onlyGate(opened.session) }
  }

  it('is asked about once, with all that it needs', async () => {
    const { gate, recording } = await asked()

    expect(gate.unmet.map(({ kind, match }) => [kind, match])).toEqual([
      ['command.execute', command],
      ['network', 'tcp://example.com:443'],
      ['filesystem.write', 'tree:/opt/out'],
    ])
    expect(recording.events('PermissionRequested')).toHaveLength(1)
  })

  it('runs nothing and makes no grant when it is denied', async () => {
    const { gate, session, submission, world, issued, ran } = await asked()

    await session.answer(gate.gateId, { action: 'deny' })
    await submission.result()

    expect([issued, ran]).toEqual([[], []])
    expect(existsSync(world.path('marker'))).toBe(false)
    expect(resultTexts(session.history())[0]).toMatch(/^permission denied/)
  })

  it('runs once with a grant for each requirement when it is approved, and saves nothing', async () => {
    const { gate, session, submission, world, issued, ran } = await asked()

    await session.answer(gate.gateId, { action: 'approve' })
    await submission.result()

    expect(issued.map(({ kind, command: bound }) => [kind, bound])).toEqual([
      ['command.execute', command],
      ['network', command],
      ['filesystem.write', command],
    ])
    expect(ran).toEqual([{ command, grants: ['grant-1', 'grant-2', 'grant-3'] }])
    expect(world.text('marker')).toBe('ran\n')
    expect(world.savedRules()).toBe('')
  })
})

describe('a command with declared access that a person approves for good', () => {
  it('runs without a question the next time, and asks for what is new', async () => {
    const world = new CatalogueWorld(memoryStore())
    const more = { ...declared, access: { ...declared.access, read: [{ scope: 'path', path: '/etc/hostname' }] } }
    const { session, recording, rules, ran, issued } = await world.open({
      says: [calls(['Bash', declared]), calls(['Bash', declared]), calls(['Bash', more]), { text: 'ok' }],
    })
    session.submit('Go')
    const gate = await onlyGate(session)
    await session.answer(gate.gateId, { action: 'approve_always' })
    await recording.waitFor('PermissionRequested', 2)
    const next = await onlyGate(session)

    expect(gate.candidates).toHaveLength(3)
    expect(await rules.list()).toHaveLength(3)
    expect(ran.map(({ grants }) => grants.length)).toEqual([3, 3])
    expect(new Set(issued.map(({ executionId }) => executionId)).size).toBe(2)
    expect(next.unmet.map(({ kind, match }) => [kind, match])).toEqual([['filesystem.read', '/etc/hostname']])
  })
})

describe('a command that a rule covers in part', () => {
  it('is asked about for the rest only', async () => {
    const world = new CatalogueWorld(memoryStore())
    const { session, rules } = await world.open({ says: [calls(['Bash', declared]), { text: 'ok' }] })
    await rules.add([{ effect: 'allow', match: { kind: 'network', host: 'example.com', transport: 'tcp', port: 443 } }])
    session.submit('Go')
    const gate = await onlyGate(session)

    expect(gate.unmet.map(({ kind }) => kind)).toEqual(['command.execute', 'filesystem.write'])
  })

  it('runs nothing where a rule denies one part, and asks nobody', async () => {
    const world = new CatalogueWorld(memoryStore())
    const { session, rules, ran, recording } = await world.open({ says: [calls(['Bash', declared]), { text: 'ok' }] })
    await rules.add([{ effect: 'deny', match: { kind: 'tree', access: 'write', root: '/opt/out' } }])

    await session.submit('Go').result()

    expect(ran).toEqual([])
    expect(recording.events('PermissionRequested')).toEqual([])
    expect(resultTexts(session.history())[0]).toMatch(/^permission denied/)
  })
})
