/** Where nobody is there to ask, nothing of the catalogue has an effect that was not allowed before. */
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls } from './catalogue-world.ts'

const skill = '---\nname: deploy\ndescription: to deploy\n---\nHow to deploy.\n'

/** Every tool that does something outside of its loop, with a call that would succeed. */
const effects = [
  ['WriteFile', { path: 'new.txt', content: 'x' }],
  ['WriteFile', { path: 'a.txt', content: 'x' }],
  ['EditFile', { path: 'a.txt', old: 'one', new: 'ONE' }],
  ['Bash', { command: 'echo x > new.txt' }],
  ['Bash', { command: 'echo x > new.txt', background: true }],
  ['Bash', { command: 'ls', access: { network: [{ port: 443 }] } }],
  ['Fetch', { url: 'http://example.com/', method: 'GET' }],
  ['WebSearch', { query: 'fish' }],
  ['Skill', { name: 'deploy' }],
] as const

describe('a session without people', () => {
  it.each(effects)('denies %s %j with approval_required, and nothing has changed', async (name, input) => {
    const world = new CatalogueWorld(memoryStore())
    world.put('a.txt', 'one\n')
    world.put('.skills/deploy/SKILL.md', skill)
    const { session, recording, issued, ran } = await world.open({
      headless: true,
      says: [calls(['ReadFile', { path: 'a.txt' }]), calls([name, input]), { text: 'ok' }],
    })

    await session.submit('Go').result()

    expect(recording.events('PermissionDecided').at(-1)).toMatchObject({
      effect: 'deny',
      reason: 'approval_required',
      subject: name,
    })
    expect(resultTexts(session.history())[1]).toMatch(/^permission denied/)
    expect([issued, ran, world.savedRules()]).toEqual([[], [], ''])
    expect([world.text('a.txt'), world.text('new.txt')]).toEqual(['one\n', undefined])
    expect(recording.events('PermissionRequested')).toEqual([])
    expect(recording.events('ProcessBackgrounded')).toEqual([])
  })

  it('still reads the workspace, keeps its tasks and looks for processes', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('a.txt', 'one\n')
    const { session } = await world.open({
      headless: true,
      says: [
        calls(
          ['Glob', { pattern: '*.txt' }],
          ['Grep', { pattern: 'one' }],
          ['TaskCreate', { subject: 's', description: 'd' }],
          ['ProcessOutput', { process_id: 'a'.repeat(22) }],
          ['AskUser', { question: 'Which?' }],
        ),
        { text: 'ok' },
      ],
    })

    await session.submit('Go').result()

    const [glob, grep, task, output, question] = resultTexts(session.history())
    expect([glob, grep]).toEqual([expect.stringContaining('a.txt'), expect.stringContaining('one')])
    expect(JSON.parse(task ?? '')).toMatchObject({ task: { subject: 's' } })
    expect(output).toContain('not_found')
    expect(question).toMatch(/^unavailable/)
  })
})
