import { memoryStore } from '@looprig/store/memory'
import type { Preparation } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { type GateAction, interactiveGate } from '../../src/index.ts'
import { allowing, calling, delivered, kind, openSession, requirement, resultTexts } from '../session/open-session.ts'
import { type AskingTool, askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

/** Has the model call `touch` for each value, and stops where a person is asked for all of them. */
async function askFor(values: readonly string[], more: AskingTool = {}) {
  const book = new RuleBook()
  const log: string[] = []
  const store = memoryStore()
  const opened = await openSession({
    responses: [calling(...values.map((value) => ({ id: value, name: 'touch', input: { value } }))), { text: 'ok' }],
    tools: [askingTool({ ran: (value) => void log.push(`run ${value}`), ...more })],
    gate: interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } }),
    store,
  })
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('PermissionRequested', values.length)
  const gates = permissions(opened.session)
  const answer = (value: string, action: GateAction) => {
    const gate = gates.find(({ request }) => request.summary === `touch ${value}`)
    if (gate === undefined) throw new Error(`no gate for ${value}`)
    return opened.session.answer(gate.gateId, { action })
  }
  const records = async () =>
    (await store.ledger.read({ session: opened.session.id, after: 0, limit: 500 })).map(({ id, kind, body }) => ({
      id,
      kind,
      type: (JSON.parse(body) as { type?: string }).type,
    }))
  return { ...opened, book, log, submission, gates, answer, records }
}

const candidate = (match: string) => ({ kind, match, description: `touch ${match}` })

describe('approve_always', () => {
  it('is durable with its rules first, then the rules are written, then the call runs', async () => {
    const { answer, book, log, records, recording, submission } = await askFor(['a'])
    book.beforeWrite = async () => {
      const durable = await records()
      log.push(`write after ${durable.at(-1)?.type}`)
    }

    await answer('a', 'approve_always')
    await submission.result()

    expect(log).toEqual(['write after GateResolved', 'run a'])
    expect(recording.events('GateResolved')).toMatchObject([
      { reason: 'answered', action: 'approve_always', rules: [candidate('a')] },
    ])
  })

  it('saves exactly what was displayed', async () => {
    const { answer, book, gates, submission } = await askFor(['a'])

    await answer('a', 'approve_always')
    await submission.result()

    expect(book.writes).toEqual([[candidate('a')]])
    expect(book.writes[0]).toEqual(gates[0]?.candidates)
  })

  it('saves what was displayed when the tool changes its candidates later', async () => {
    let leaked: Partial<Preparation> | undefined
    const prepared = (value: string) => {
      leaked = { requirements: [{ ...requirement(value), candidates: [candidate(value)] }] }
      return leaked
    }
    const { answer, book, submission } = await askFor(['a'], { prepared })

    Object.assign(leaked?.requirements?.[0]?.candidates?.[0] ?? {}, { match: '*' })
    await answer('a', 'approve_always')
    await submission.result()

    expect(book.writes).toEqual([[candidate('a')]])
  })

  it('does not run a call whose rule cannot be saved, and goes on', async () => {
    const { answer, book, log, session, submission, recording } = await askFor(['a'])
    book.beforeWrite = () => {
      throw new Error('SENTINEL /home/ann/rules.json')
    }

    await answer('a', 'approve_always')
    const result = await submission.result()

    expect(log).toEqual([])
    expect(result.status).toBe('done')
    expect(resultTexts(session.history())).toEqual([
      'rule_not_saved: the call was approved, but its rule could not be saved; it did not run',
    ])
    expect(recording.events('ToolCallCompleted')).toMatchObject([{ isError: true, code: 'rule_not_saved' }])
    expect(JSON.stringify(recording.deliveries)).not.toContain('SENTINEL')
  })

  it('does not run anything before the rule is saved, and keeps the start of the call out of the answer', async () => {
    const { answer, book, log, records, submission } = await askFor(['a'])
    const write = createDeferred<void>()
    const writing = createDeferred<void>()
    book.beforeWrite = () => {
      writing.resolve()
      return write.promise
    }
    await answer('a', 'approve_always')
    await writing.promise
    await delivered()
    const between = { log: [...log], last: (await records()).at(-1) }
    write.resolve()
    await submission.result()

    expect(between).toMatchObject({ log: [], last: { type: 'GateResolved' } })
    expect(log).toEqual(['run a'])
    expect((await records()).map(({ id }) => id.split('/')[0])).toContain('run')
  })

  it('closes the other gates that the rule meets, in one append, and those run without an answer', async () => {
    const prepared = (value: string) => {
      const match = value === 'other' ? 'other' : 'family'
      return { requirements: [{ ...requirement(match), candidates: [candidate(match)] }] }
    }
    const { answer, log, recording, session, submission } = await askFor(['a', 'b', 'other', 'c'], { prepared })

    await answer('b', 'approve_always')
    await recording.waitFor('GateResolved', 3)
    const left = permissions(session).map((gate) => gate.request.summary)
    const [, ...closed] = recording.deliveries.filter(({ event }) => event.type === 'GateResolved')
    await answer('other', 'deny')
    await submission.result()

    expect(closed.map(({ event }) => event)).toMatchObject([
      { reason: 'rule', rule: { effect: 'allow', match: 'family' } },
      { reason: 'rule' },
    ])
    expect(closed.map(({ seq }) => seq)).toEqual([closed[0]?.seq, (closed[0]?.seq ?? 0) + 1])
    expect(left).toEqual(['touch other'])
    expect(log).toEqual(['run a', 'run b', 'run c'])
  })

  it('closes a gate that a rule denies by now', async () => {
    const { answer, book, log, recording, session, submission } = await askFor(['a', 'b'])
    book.denied.add('b')

    await answer('a', 'approve_always')
    await submission.result()

    expect(recording.events('GateResolved')[1]).toMatchObject({ reason: 'denied', denial: 'rule_denied' })
    expect(log).toEqual(['run a'])
    expect(resultTexts(session.history())[1]).toBe('permission denied [not authorized]: touch b')
  })

  it('leaves a gate to its person when the source fails meanwhile', async () => {
    const { answer, book, log, submission, session } = await askFor(['a', 'b'])
    book.denies = () => {
      throw new Error('away')
    }

    await answer('a', 'approve_always')
    await session.waitIdle({ orWaiting: true })
    await answer('b', 'approve')
    await submission.result()

    expect(log).toEqual(['run a', 'run b'])
  })

  it('is offered again for what no rule covers', async () => {
    const { answer, log, submission } = await askFor(['a', 'b'])

    await Promise.all([answer('a', 'approve_always'), answer('b', 'approve_always')])
    await submission.result()

    expect(log).toEqual(['run a', 'run b'])
  })

  it('runs nothing when the turn is interrupted while the rule is written', async () => {
    const { answer, book, log, session, submission, recording } = await askFor(['a'])
    const writing = createDeferred<void>()
    book.beforeWrite = () => {
      writing.resolve()
      return new Promise(() => undefined)
    }
    await answer('a', 'approve_always')
    await writing.promise

    expect(await session.interrupt()).toBe(true)

    expect((await submission.result()).status).toBe('interrupted')
    expect(log).toEqual([])
    expect(recording.events('GateResolved')).toHaveLength(1)
    expect(resultTexts(session.history())[0]).toMatch(/^not_executed/)
  })

  it('takes an equal answer again without writing twice, and refuses a plain approval', async () => {
    const { answer, book, submission } = await askFor(['a'])

    await answer('a', 'approve_always')
    await answer('a', 'approve_always')
    const other = await answer('a', 'approve').catch((error: unknown) => error)
    await submission.result()

    expect(book.writes).toHaveLength(1)
    expect(other).toMatchObject({ code: 'already_resolved', action: 'approve_always' })
  })
})
