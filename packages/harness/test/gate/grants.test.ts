import { memoryStore } from '@looprig/store/memory'
import {
  type Access,
  commandExecute,
  commandStartGrant,
  type GrantBinding,
  type GrantIssuer,
  type Preparation,
} from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { type Gate, type GateAction, headlessGate, interactiveGate } from '../../src/index.ts'
import { calling, openSession, resultTexts } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions } from './open-gates.ts'
import { RuleBook } from './rule-book.ts'

const token = 'lrsx1.SENTINEL-TOKEN'

/** What running one command asks for. */
function command(text: string): Partial<Preparation> {
  const grant = { grantClass: commandStartGrant, grantTarget: text }
  const candidates = [{ kind: commandExecute, match: text, description: `run ${text}`, ...grant }]
  return {
    requirements: [{ kind: commandExecute, scope: '', match: text, description: `run ${text}`, ...grant, candidates }],
    command: text,
    workingDirectory: '/w',
    expiresAtMs: 1_800_000_000_000,
  }
}

const access = (said: Access) => [{ kinds: [commandExecute], accessFor: () => said }]

/** Runs one command under a gate; tells what was minted and which tokens the tool got. */
async function runUnder(gate: Gate, action?: GateAction) {
  const got: (readonly string[])[] = []
  const store = memoryStore()
  const opened = await openSession({
    responses: [calling({ name: 'touch', input: { value: 'ls -l' } }), { text: 'ok' }],
    tools: [askingTool({ prepared: command, ran: (_value, { grants }) => void got.push(grants) })],
    gate,
    store,
  })
  const submission = opened.session.submit('Go')
  if (action !== undefined) {
    await opened.recording.waitFor('PermissionRequested')
    const [open] = permissions(opened.session)
    if (open !== undefined) await opened.session.answer(open.gateId, { action })
  }
  await submission.result()
  const journal = await store.ledger.read({ session: opened.session.id, after: 0, limit: 500 })
  return { ...opened, got, journal: JSON.stringify(journal) }
}

function issuer() {
  const minted: GrantBinding[] = []
  const issueGrant = async (binding: GrantBinding) => {
    minted.push(binding)
    return `${token}-${minted.length}`
  }
  return { minted, issueGrant }
}

describe('grants', () => {
  it('are minted after the approval and reach the tool alone', async () => {
    const mint = issuer()
    const { got, recording } = await runUnder(interactiveGate({ access: access('ask'), issuer: mint }), 'approve')

    const [requested] = recording.events('PermissionRequested')
    expect(got).toEqual([[`${token}-1`]])
    expect(mint.minted).toEqual([
      {
        executionId: requested?.toolExecutionId,
        command: 'ls -l',
        workingDirectory: '/w',
        kind: commandExecute,
        scope: '',
        grantClass: commandStartGrant,
        grantTarget: 'ls -l',
        expiresAtMs: 1_800_000_000_000,
      },
    ])
  })

  it('are in no record, event, message or gate', async () => {
    const mint = issuer()
    const opened = await runUnder(interactiveGate({ access: access('ask'), issuer: mint }), 'approve')

    const told = JSON.stringify([opened.recording.deliveries, opened.session.history(), opened.session.gates()])
    expect(mint.minted).toHaveLength(1)
    expect(opened.journal).not.toContain('SENTINEL')
    expect(told).not.toContain('SENTINEL')
  })

  it.each<[Access, GateAction | undefined]>([
    ['deny', undefined],
    ['ask', 'deny'],
    ['allow', undefined],
  ])('are not minted where configuration says %s and a person %s', async (said, action) => {
    const mint = issuer()
    const { got } = await runUnder(interactiveGate({ access: access(said), issuer: mint }), action)

    expect(mint.minted).toEqual([])
    expect(got).toEqual(said === 'allow' ? [[]] : [])
  })

  it('are minted for the exact command also where a rule allows it, and without a person', async () => {
    const book = new RuleBook()
    book.allowed.add('ls -l')
    const mint = issuer()
    const { got } = await runUnder(headlessGate({ access: access('ask'), rules: { source: book }, issuer: mint }))

    expect(mint.minted).toMatchObject([{ command: 'ls -l', grantTarget: 'ls -l' }])
    expect(got).toEqual([[`${token}-1`]])
  })

  it('are minted only when the rule of an approve_always is saved', async () => {
    const book = new RuleBook()
    const mint = issuer()
    const order: string[] = []
    book.beforeWrite = () => void order.push(`write with ${mint.minted.length} minted`)
    const gate = interactiveGate({ access: access('ask'), rules: { source: book, writer: book }, issuer: mint })
    const { got } = await runUnder(gate, 'approve_always')

    expect(order).toEqual(['write with 0 minted'])
    expect(got).toHaveLength(1)
  })

  it.each<[string, GrantIssuer | undefined]>([
    ['there is no issuer', undefined],
    ['the issuer throws', { issueGrant: () => Promise.reject(new Error(token)) }],
    ['the token is empty', { issueGrant: async () => '' }],
    ['the token is none', { issueGrant: async () => undefined as never }],
  ])('keep the call from running when %s', async (_name, broken) => {
    const { got, session, recording, journal } = await runUnder(
      interactiveGate({ access: access('ask'), issuer: broken }),
      'approve',
    )

    expect(got).toEqual([])
    expect(resultTexts(session.history())).toEqual([
      'the call was approved, but no grant for it could be made; it did not run',
    ])
    expect(recording.events('ToolCallCompleted')).toMatchObject([{ isError: true, code: 'grant_failed' }])
    expect(journal + JSON.stringify(recording.deliveries)).not.toContain('SENTINEL')
  })

  it.each<[string, Gate['issueGrants']]>([
    ['mints nothing', undefined],
    ['gives fewer than it was asked for', async () => []],
    ['gives no list', async () => token as never],
  ])('keep the call from running when a gate of one’s own %s', async (_name, issueGrants) => {
    const gate: Gate = {
      evaluate: async ({ requirements }) => ({ decision: 'allow', grants: requirements }),
      ...(issueGrants === undefined ? {} : { issueGrants }),
    }
    const { got, recording } = await runUnder(gate)

    expect(got).toEqual([])
    expect(recording.events('ToolCallCompleted')).toMatchObject([{ code: 'grant_failed' }])
  })

  it('do not hold up an interrupt', async () => {
    const minting = createDeferred<void>()
    const issueGrant = () => {
      minting.resolve()
      return new Promise<string>(() => undefined)
    }
    const got: unknown[] = []
    const { session } = await openSession({
      responses: [calling({ name: 'touch', input: { value: 'ls' } })],
      tools: [askingTool({ prepared: command, ran: () => got.push(true) })],
      gate: { ...headlessGate({ access: access('allow'), issuer: { issueGrant } }), evaluate: grantAll },
    })
    const submission = session.submit('Go')
    await minting.promise

    await session.interrupt()

    expect((await submission.result()).status).toBe('interrupted')
    expect(got).toEqual([])
    expect(resultTexts(session.history())).toEqual(['not_executed: the call was stopped before it ran'])
  })
})

const grantAll: Gate['evaluate'] = async ({ requirements }) => ({ decision: 'allow', grants: requirements })
