/** WriteFile, a real gate and a real file of rules: what a person saves, and what it is worth in the next process. */
import { chmodSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { permissions } from '../gate/open-gates.ts'
import { storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls, onlyGate } from './catalogue-world.ts'

const write = (content: string, path = 'notes.md') => calls(['WriteFile', { path, content }])

describe.each(storeKinds)('a rule that a person saves ($name)', ({ open }) => {
  it('is exactly what was displayed, is in the file before the call runs, and lets the next equal call run', async () => {
    const world = new CatalogueWorld(open())
    const around: unknown[] = []
    const { session, recording, rules } = await world.open({
      says: [write('one'), write('two'), { text: 'ok' }],
      aroundRules: async (save) => {
        around.push(world.text('notes.md'), world.savedRules())
        await save()
        around.push(world.text('notes.md'), world.savedRules().includes('notes.md'))
      },
    })
    const submission = session.submit('Go')
    const gate = await onlyGate(session)
    const before = world.text('notes.md')

    await session.answer(gate.gateId, { action: 'approve_always' })
    await submission.result()

    expect([before, world.text('notes.md')]).toEqual([undefined, 'two'])
    expect(around).toEqual([undefined, '', undefined, true])
    const path = realpathSync(world.path('notes.md'))
    expect(gate.candidates?.map(({ kind, match }) => [kind, match])).toEqual([['filesystem.write', path]])
    expect((await rules.list()).map(({ rule }) => rule)).toEqual([
      { effect: 'allow', match: { kind: 'path', access: 'write', path } },
    ])
    expect(recording.events('PermissionRequested')).toHaveLength(1)
    expect(recording.events('PermissionDecided').at(-1)).toMatchObject({ effect: 'approve', reason: 'rule_allowed' })
  })

  it('permits in the next process, and covers no other file there', async () => {
    const world = new CatalogueWorld(open())
    const first = await world.open({ says: [write('one'), { text: 'ok' }] })
    const submission = first.session.submit('Go')
    await first.session.answer((await onlyGate(first.session)).gateId, { action: 'approve_always' })
    await submission.result()
    await first.session.shutdown()

    const { session } = await world.restore(first.session.id, {
      says: [calls(['ReadFile', { path: 'notes.md' }]), write('two'), write('x', 'other.md'), { text: 'ok' }],
    })
    session.submit('Again')
    const gate = await onlyGate(session)

    expect(gate.request.summary).toBe('create other.md')
    expect([world.text('notes.md'), world.text('other.md')]).toEqual(['two', undefined])
  })

  it('denies in the next process, also what was allowed before', async () => {
    const world = new CatalogueWorld(open())
    const first = await world.open({ says: [write('one'), { text: 'ok' }] })
    const submission = first.session.submit('Go')
    await first.session.answer((await onlyGate(first.session)).gateId, { action: 'approve_always' })
    await submission.result()
    const path = realpathSync(world.path('notes.md'))
    await first.rules.add([{ effect: 'deny', match: { kind: 'path', access: 'write', path } }])
    await first.session.shutdown()

    const { session, recording } = await world.restore(first.session.id, {
      says: [calls(['ReadFile', { path: 'notes.md' }]), write('two'), { text: 'ok' }],
    })
    await session.submit('Again').result()

    expect(world.text('notes.md')).toBe('one')
    expect(recording.events('PermissionDecided').at(-1)).toMatchObject({ effect: 'deny', reason: 'rule_denied' })
    expect(resultTexts(session.history()).at(-1)).toMatch(/^permission denied/)
  })
})

describe('a family of commands that a person saves', () => {
  it('covers its commands, and asks for what else a line would run', async () => {
    const world = new CatalogueWorld(memoryStore())
    const bash = (command: string) => calls(['Bash', { command }])
    const { session, recording, ran } = await world.open({
      says: [bash('git log'), bash('git  log -p'), bash('git log; touch x'), { text: 'ok' }],
    })
    session.submit('Go')
    const first = await onlyGate(session)
    await session.answer(first.gateId, { action: 'approve_always' })
    await recording.waitFor('PermissionRequested', 2)
    const second = await onlyGate(session)
    await session.answer(second.gateId, { action: 'deny' })
    await session.waitIdle()

    expect(first.candidates?.map(({ match }) => match)).toEqual(['Bash(git log:*)'])
    expect([first, second].map(({ request }) => request.command)).toEqual(['git log', 'git log; touch x'])
    expect(ran.map(({ command }) => command)).toEqual(['git log', 'git  log -p'])
    expect(recording.events('PermissionRequested')).toHaveLength(2)
    expect(world.text('x')).toBeUndefined()
  })
})

function replaceByFolder(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

function replaceByLink(path: string): void {
  renameSync(path, `${path}.real`)
  symlinkSync(`${path}.real`, path)
}

describe('a rule that cannot be saved', () => {
  it.each([
    ['is readable for others by then', (path: string) => chmodSync(path, 0o644)],
    ['is a folder by then', replaceByFolder],
    ['is a link by then', replaceByLink],
    ['has two names by then', (path: string) => linkSync(path, `${path}.other`)],
  ])('since its file %s keeps the call from running', async (_what, spoil) => {
    const world = new CatalogueWorld(memoryStore())
    const { session, rules } = await world.open({ says: [write('one'), { text: 'ok' }] })
    await rules.add([{ effect: 'allow', match: { kind: 'exact', command: 'true' } }])
    const submission = session.submit('Go')
    const gate = await onlyGate(session)
    spoil(world.places.rules)

    await session.answer(gate.gateId, { action: 'approve_always' })
    await submission.result()

    expect(existsSync(world.path('notes.md'))).toBe(false)
    expect(resultTexts(session.history())[0]).toMatch(/^rule_not_saved: /)
    expect(resultTexts(session.history())[0]).not.toContain(world.folder)
  })

  it('refuses every call that needs a rule while its file is unsafe, and works again without a restart', async () => {
    const world = new CatalogueWorld(memoryStore())
    const { session, rules } = await world.open({ says: [write('one'), { text: 'no' }, write('two'), { text: 'ok' }] })
    await rules.add([{ effect: 'allow', match: { kind: 'tree', access: 'write', root: world.places.workspace } }])
    chmodSync(world.places.rules, 0o644)
    await session.submit('Go').result()
    const refused = resultTexts(session.history())[0]
    chmodSync(world.places.rules, 0o600)

    await session.submit('Again').result()

    expect(refused).toMatch(/^permission denied/)
    expect(permissions(session)).toEqual([])
    expect(world.text('notes.md')).toBe('two')
  })
})
