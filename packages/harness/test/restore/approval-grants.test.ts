import { commandExecute, commandStartGrant, defineTool, type GrantBinding, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { interactiveGate } from '../../src/index.ts'
import { permissions } from '../gate/open-gates.ts'
import { readRecords } from '../journal/stores.ts'
import { ApprovalWorld } from './approval-world.ts'

/** A command whose grant is good for a minute from its preparation. */
function commandTool(world: ApprovalWorld, got: (readonly string[])[]) {
  const grant = { grantClass: commandStartGrant, grantTarget: 'ls' }
  return defineTool({
    name: 'edit',
    description: 'Runs a command.',
    inputSchema: z.strictObject({ value: z.string() }),
    prepare: () => ({
      summary: 'run ls',
      artifact: 'ls',
      requirements: [{ kind: commandExecute, scope: '', match: 'ls', description: 'run ls', ...grant }],
      command: 'ls',
      workingDirectory: '/w',
      expiresAtMs: world.now + 60_000,
    }),
    run: (_, { grants }) => {
      got.push(grants)
      return textResult('ran')
    },
  })
}

describe('a grant of a call that was approved before a restart', () => {
  it('is minted by the process that runs it, for the time from then on, and is stored nowhere', async () => {
    const world = new ApprovalWorld()
    const got: (readonly string[])[] = []
    const minted: GrantBinding[] = []
    const issueGrant = async (binding: GrantBinding) => `SENTINEL-${minted.push(binding)}`
    const access = [{ kinds: [commandExecute], accessFor: () => 'ask' as const }]
    const options = { tools: [commandTool(world, got)], gate: interactiveGate({ access, issuer: { issueGrant } }) }
    const { session, store } = await world.waiting(['a'], options)
    const [open] = permissions(session)
    if (open === undefined) throw new Error('no gate is open')
    const left = await world.crash(session, store)
    await world.rig(left).mailbox(session.id).answer(open.gateId, { action: 'approve' })
    world.now += 1_800_000

    const { session: restored } = await world.restore(left, session.id, options)
    await restored.waitIdle()

    expect(minted).toMatchObject([{ executionId: open.toolExecutionId, expiresAtMs: world.now + 60_000 }])
    expect(got).toEqual([['SENTINEL-1']])
    expect(JSON.stringify(await readRecords(left, session.id))).not.toContain('SENTINEL')
  })
})
