/** What tools keep beside the journal, in the next process: tasks, and instructions that were approved. */
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import { type Says, shownResults } from './catalogue-rig.ts'
import { CatalogueWorld, calls, onlyGate } from './catalogue-world.ts'

const create = (subject: string) => calls(['TaskCreate', { subject, description: 'd' }])
const list = calls(['TaskList', {}])

/** Marks the task that the last result tells. */
const complete: Says = (request) => {
  const taskId = JSON.parse(shownResults(request).at(-1) ?? '').task.id as string
  return calls(['TaskUpdate', { taskId, status: 'completed' }])
}

describe.each(storeKinds)('the tasks of a loop ($name)', ({ open }) => {
  it('are there again after a restore, with what was done to them, and go on', async () => {
    const world = new CatalogueWorld(open())
    const first = await world.open({ says: [create('one'), complete, create('two'), { text: 'ok' }] })
    await first.session.submit('Go').result()
    await first.session.shutdown()

    const { session } = await world.restore(first.session.id, { says: [create('three'), list, { text: 'ok' }] })
    await session.submit('Again').result()

    expect(JSON.parse(resultTexts(session.history()).at(-1) ?? '').tasks).toMatchObject([
      { subject: 'one', status: 'completed' },
      { subject: 'two', status: 'pending' },
      { subject: 'three', status: 'pending' },
    ])
  })

  it('are not those of another session', async () => {
    const world = new CatalogueWorld(open())
    const first = await world.open({ says: [create('one'), { text: 'ok' }] })
    await first.session.submit('Go').result()

    const second = await world.open({ says: [list, { text: 'ok' }] })
    await second.session.submit('Go').result()

    expect(resultTexts(second.session.history())).toEqual(['{"tasks":[]}'])
  })
})

const skill = (body: string) => `---\nname: deploy\ndescription: to deploy\n---\n${body}\n`

describe('a skill of the workspace', () => {
  it('is what was there when it was asked about, whatever the file says when it is approved', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('.skills/deploy/SKILL.md', skill('The old way.'))
    const { session } = await world.open({ says: [calls(['Skill', { name: 'deploy' }]), { text: 'ok' }] })
    const submission = session.submit('Go')
    const gate = await onlyGate(session)
    world.put('.skills/deploy/SKILL.md', skill('The new way.'))

    await session.answer(gate.gateId, { action: 'approve' })
    await submission.result()

    expect(resultTexts(session.history())).toEqual(['The old way.'])
  })

  it('that changed before a restore is not loaded by the approval of what it was', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('.skills/deploy/SKILL.md', skill('The old way.'))
    const first = await world.open({ says: [calls(['Skill', { name: 'deploy' }]), { text: 'ok' }] })
    first.session.submit('Go')
    await onlyGate(first.session)
    await first.session.shutdown()
    world.put('.skills/deploy/SKILL.md', skill('The new way.'))

    const { session } = await world.restore(first.session.id, { says: [{ text: 'ok' }] })
    await session.answer((await onlyGate(session)).gateId, { action: 'approve' })
    await session.waitIdle()

    expect(resultTexts(session.history()).join()).not.toContain('way.')
  })

  it('is offered no rule, so that each load is asked about', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('.skills/deploy/SKILL.md', skill('The old way.'))
    const { session } = await world.open({ says: [calls(['Skill', { name: 'deploy' }]), { text: 'ok' }] })
    session.submit('Go')

    expect((await onlyGate(session)).actions).not.toContain('approve_always')
  })
})
