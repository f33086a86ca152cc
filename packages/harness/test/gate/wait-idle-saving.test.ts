import { expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { interactiveGate } from '../../src/index.ts'
import { allowing, calling, openSession } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

it('a session is not waiting for a person while the rule that one saved is written', async () => {
  const book = new RuleBook()
  const written = createDeferred<void>()
  book.beforeWrite = () => written.promise
  const { session, recording } = await openSession({
    responses: [calling({ id: 'a', name: 'touch', input: { value: 'a' } }), { text: 'ok' }],
    tools: [askingTool({})],
    gate: interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } }),
  })
  session.submit('Go')
  await recording.waitFor('PermissionRequested')
  const [gate] = permissions(session)
  if (gate === undefined) throw new Error('nobody was asked')

  await session.answer(gate.gateId, { action: 'approve_always' })
  const rests = session.waitIdle({ orWaiting: true })
  // long after the session has looked at its loops
  setImmediate(() => setImmediate(() => written.resolve()))

  expect(permissions(session)).toEqual([])
  expect(await rests).toBe('idle')
})
