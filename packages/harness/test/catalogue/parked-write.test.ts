/** A session that waits for a person's word on a write, and what becomes of it in the next process. */
import type { SessionId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { type StoreKind, storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import type { Says } from './catalogue-rig.ts'
import { CatalogueWorld, calls, failedCodes, onlyGate } from './catalogue-world.ts'

const read = calls(['ReadFile', { path: 'a.txt' }])
const write = calls(['WriteFile', { path: 'a.txt', content: 'new\n' }])
const edit = calls(['EditFile', { path: 'a.txt', old: 'old', new: 'new' }])

/** How a file comes to a write that waits: what was there, and what the model did. */
const ways = [
  { way: 'creates', before: undefined, says: [write] },
  { way: 'overwrites what was read', before: 'old\n', says: [read, write] },
  { way: 'edits what was read', before: 'old\n', says: [read, edit] },
] as const

interface Way {
  readonly way: string
  readonly before: string | undefined
  readonly says: readonly Says[]
}

/** A session that was left while it waits. */
async function parked({ open }: Pick<StoreKind, 'open'>, { before, says }: Way) {
  const world = new CatalogueWorld(open())
  if (before !== undefined) world.put('a.txt', before)
  const { session } = await world.open({ says: [...says, { text: 'ok' }] })
  session.submit('Go')
  const gate = await onlyGate(session)
  await session.shutdown()
  return { world, id: session.id as SessionId, gate }
}

describe.each(storeKinds)('a write that waits for a person ($name)', (kind) => {
  it.each(ways)('and $way is made exactly once by what is approved in the next process', async (way) => {
    const { world, id, gate } = await parked(kind, way)
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })
    const again = await onlyGate(session)
    const before = world.text('a.txt')

    await session.answer(again.gateId, { action: 'approve' })
    await session.waitIdle()
    const after = world.text('a.txt')
    await session.shutdown()
    const next = await world.restore(id)
    world.put('a.txt', 'mine\n')
    await next.session.waitIdle()

    expect([again.gateId, again.request]).toEqual([gate.gateId, gate.request])
    expect(gate.preview?.text).toContain('+new')
    expect([before, after]).toEqual([way.before, 'new\n'])
    expect(resultTexts(session.history()).at(-1)).toMatch(/^(wrote|edited) a\.txt/)
    expect(world.text('a.txt')).toBe('mine\n')
  })

  it.each(ways)('and $way is refused where the file changed meanwhile, and nothing is written', async (way) => {
    const { world, id } = await parked(kind, way)
    world.put('a.txt', 'old, and theirs\n')
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })
    const again = await onlyGate(session)

    await session.answer(again.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(world.text('a.txt')).toBe('old, and theirs\n')
    expect(resultTexts(session.history()).at(-1)).toMatch(/^stale: /)
  })
})

describe('a write that waits for a person', () => {
  it('is refused where the file changes after the restore, and nothing is written', async () => {
    const { world, id } = await parked({ open: () => memoryStore() }, ways[0])
    const { session, recording } = await world.restore(id, { says: [{ text: 'ok' }] })
    const again = await onlyGate(session)
    world.put('a.txt', 'old, and theirs\n')

    await session.answer(again.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(world.text('a.txt')).toBe('old, and theirs\n')
    expect(failedCodes(recording, 'WriteFile')).toEqual(['file_conflict'])
  })

  it('and overwrites what was never read is refused, whatever is approved in the next process', async () => {
    const { world, id } = await parked({ open: () => memoryStore() }, { way: 'unread', before: 'old\n', says: [write] })
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })

    await session.answer((await onlyGate(session)).gateId, { action: 'approve' })
    await session.waitIdle()

    expect(world.text('a.txt')).toBe('old\n')
    expect(resultTexts(session.history()).at(-1)).toMatch(/^stale: /)
  })

  it('is not made when it is denied in the next process', async () => {
    const { world, id } = await parked({ open: () => memoryStore() }, ways[0])
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })

    await session.answer((await onlyGate(session)).gateId, { action: 'deny' })
    await session.waitIdle()

    expect(world.text('a.txt')).toBeUndefined()
  })
})
