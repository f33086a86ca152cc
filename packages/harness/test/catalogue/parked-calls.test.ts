/** Every kind of call that a person decides on, approved in the process after the one that asked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryStore } from '@looprig/store/memory'
import { createFixedSearch } from '@looprig/tools/web'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { questions } from '../gate/open-gates.ts'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls, onlyGate } from './catalogue-world.ts'

/** How often something outside was reached. */
let reached = 0
let host = ''

beforeAll(async () => {
  const server = createServer((_request, response) => {
    reached += 1
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('fetched')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // proved: it listens on an address
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => server.close()
})

const skill = '---\nname: deploy\ndescription: to deploy\n---\nHow to deploy.\n'

/** What it is, the tool, its arguments, and what its result says when it ran. */
const waiting = [
  ['a write', 'WriteFile', () => ({ path: 'deep/new.txt', content: 'x' }), /^wrote deep\/new\.txt/],
  ['a command', 'Bash', () => ({ command: 'echo ran | tee -a log' }), /^ran\n/],
  [
    'a command with declared access',
    'Bash',
    () => ({ command: 'echo ran >> log', access: { network: [{ host: 'example.com', port: 443 }] } }),
    /exit code: 0/,
  ],
  ['a command in the background', 'Bash', () => ({ command: 'echo ran >> log', background: true }), /"process_id"/],
  ['a request', 'Fetch', () => ({ url: `http://${host}/a?b=c`, method: 'POST', body: 'x' }), /fetched/],
  ['a search', 'WebSearch', () => ({ query: 'fish' }), /found by/],
  ['a skill', 'Skill', () => ({ name: 'deploy' }), /^How to deploy\.$/],
] as const

describe('a call that waits for a person', () => {
  it.each(waiting)(
    'is %s that runs exactly once by the approval in the next process',
    async (what, name, input, ran) => {
      const world = new CatalogueWorld(memoryStore())
      world.put('.skills/deploy/SKILL.md', skill)
      const search = () =>
        createFixedSearch(() => {
          reached += 1
          return [{ title: 'found by search', url: 'https://example.com/', snippet: '' }]
        })
      reached = 0
      const first = await world.open({
        says: [calls([name, input()]), { text: 'ok' }],
        hosts: [host],
        search: search(),
      })
      first.session.submit('Go')
      const asked = await onlyGate(first.session)
      await first.session.shutdown()

      const next = await world.restore(first.session.id, {
        says: [{ text: 'ok' }, { text: 'ok' }],
        hosts: [host],
        search: search(),
      })
      const before = [reached, world.text('log'), next.ran.length]
      const gate = await onlyGate(next.session)
      await next.session.answer(gate.gateId, { action: 'approve' })
      await next.recording.waitFor('TurnDone')
      if (what === 'a command in the background') await next.recording.waitFor('ProcessCompleted')
      await next.session.shutdown()
      const last = await world.restore(first.session.id, { says: [{ text: 'ok' }], hosts: [host], search: search() })
      await last.session.waitIdle()

      expect(gate.gateId).toBe(asked.gateId)
      expect(before).toEqual([0, undefined, 0])
      expect(resultTexts(last.session.history())).toEqual([expect.stringMatching(ran)])
      expect(reached).toBe(name === 'Fetch' || name === 'WebSearch' ? 1 : 0)
      expect(world.text('log')).toBe(name === 'Bash' ? 'ran\n' : undefined)
      expect(last.ran).toEqual([])
    },
  )

  it('is a question that takes its answer in the next process', async () => {
    const world = new CatalogueWorld(memoryStore())
    const says = [calls(['AskUser', { question: 'Which?', choices: ['a', 'b'] }]), { text: 'ok' }]
    const first = await world.open({ says })
    first.session.submit('Go')
    await first.session.waitIdle({ orWaiting: true })
    await first.session.shutdown()

    const { session } = await world.restore(first.session.id, { says: [{ text: 'ok' }] })
    onTestFinished(() => session.shutdown())
    await session.answer(questions(session)[0]?.gateId as never, { answer: 'b' })
    await session.waitIdle()

    expect(resultTexts(session.history())).toEqual(['b'])
  })
})
