/** The process tools of the catalogue in real sessions: what runs in the background, and what becomes of it. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '@looprig/core'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import {
  bashDefinition,
  commandEnvironment,
  directRunner,
  processOutputDefinition,
  uncheckedGrants,
} from '@looprig/tools/process'
import { describe, expect, it } from 'vitest'
import { defineLoop, defineRig, type Gate, interactiveGate, type Session } from '../../src/index.ts'
import { faultyStore, recordSession } from '../../src/testing.ts'
import { tempFolder } from '../journal/stores.ts'
import { calling, model, resultTexts } from '../session/open-session.ts'

const allowAll: Gate = { evaluate: async () => ({ decision: 'allow' }) }

/** Runs until the file `go` is there, then ends with code 3. */
const waits = 'while [ ! -f go ]; do sleep 0.02; done; exit 3'

const background = calling({ id: 'b1', name: 'Bash', input: { command: waits, background: true } })

async function opened(responses: readonly ScriptedResponse[], store: Store = memoryStore(), gate: Gate = allowAll) {
  const workspace = tempFolder()
  const environment = commandEnvironment({ PATH: '/usr/bin:/bin' })
  const runner = directRunner({ environment, backgroundAccess: { kind: 'read_only' } })
  const loop = defineLoop({
    name: 'main',
    client: scriptedClient(responses),
    model,
    tools: [bashDefinition({ resolver: () => runner }), processOutputDefinition()],
    gate,
  })
  const rig = defineRig({ loops: [loop], store, workspace: { root: workspace }, resources: { root: tempFolder() } })
  const session = await rig.newSession()
  return {
    rig,
    session,
    recording: recordSession(session),
    workspace,
    go: () => writeFileSync(join(workspace, 'go'), ''),
  }
}

const said = (session: Session) =>
  session.history().flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))

describe('a command that a person approves', () => {
  it('runs under a runner that takes no grants, when its gate has an issuer of tokens that nobody checks', async () => {
    const access = [{ kinds: ['command.execute'], accessFor: () => 'ask' as const }]
    const gate = interactiveGate({ access, issuer: uncheckedGrants() })
    const says = [calling({ id: 'b1', name: 'Bash', input: { command: 'echo done' } }), { text: 'ok' }]
    const { session, recording } = await opened(says, memoryStore(), gate)
    session.submit('build')
    const asked = await recording.waitFor('PermissionRequested')

    await session.answer(asked.gateId, { action: 'approve' })
    await session.waitIdle()

    expect(resultTexts(session.history())).toEqual(['done\n[exit code: 0]'])
    await session.shutdown()
  })
})

describe('a command in the background', () => {
  it('lets its session rest, and wakes it with a notice when it has ended', async () => {
    const { session, recording, go } = await opened([background, { text: 'It runs.' }, { text: 'It is over.' }])

    expect((await session.submit('build').result()).text).toBe('It runs.')
    expect(await session.waitIdle()).toBe('idle')
    expect(recording.events('ProcessBackgrounded')).toHaveLength(1)
    go()
    await recording.waitFor('TurnDone', 2)

    expect(recording.events('ProcessCompleted')).toMatchObject([{ state: 'exited', exitCode: 3 }])
    expect(said(session)[1]).toMatch(/has ended: exited with code 3/)
    expect(resultTexts(session.history())).toHaveLength(1)
    await session.shutdown()
  })

  it.each(['shutdown', 'stop'] as const)('ends with its session (%s), and the journal tells of it', async (how) => {
    const { session, recording, rig } = await opened([background, { text: 'It runs.' }])
    await session.submit('build').result()

    await session[how]()

    const types = recording.deliveries.map(({ event }) => event.type)
    expect(recording.events('ProcessCompleted')).toMatchObject([{ state: 'terminated' }])
    expect(types.at(-1)).toBe(how === 'stop' ? 'SessionStopped' : types.at(-1))
    expect((await rig.inspect(session.id)).owner).toBe('none')
  })

  it('that a fault ended is told of once, by the restore', async () => {
    let isBroken = false
    const store = faultyStore(memoryStore(), () => (isBroken ? { kind: 'refused' } : undefined))
    const { session, rig, workspace } = await opened([background, { text: 'It runs.' }, { text: 'I see.' }], store)
    await session.submit('build').result()
    isBroken = true
    await session.submit('more').accepted.catch(() => undefined)
    await session.shutdown()
    expect(existsSync(join(workspace, 'go'))).toBe(false)
    isBroken = false

    const again = await rig.restoreSession(session.id)
    const recording = recordSession(again, { since: 0 })
    await recording.waitFor('ProcessCompleted')
    await again.waitIdle()
    await again.shutdown()
    const last = await rig.restoreSession(session.id)
    await last.shutdown()

    const whole = recordSession(last, { since: 0 })
    await whole.ended
    expect(whole.events('ProcessCompleted')).toMatchObject([{ state: 'terminated' }])
    expect(last.fault).toBeUndefined()
  })
})
