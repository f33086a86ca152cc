import type { SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import {
  adoptAll,
  adoptFields,
  adoptInfo,
  DefinitionError,
  type DriftDecision,
  defineRig,
  type RestoreDecider,
  RestoreRejectedError,
  type RigOptions,
  SessionFaultedError,
} from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { adoptionsOf, loop, model, parkedSession, refusalOf, rigOf, tool } from './drift-rig.ts'

/** Another model and one tool less. */
const other = { loops: [loop({ model: { ...model, name: 'n' }, tools: [] })] }
const fields = ['loops.main.model', 'loops.main.tools.look']

/** Asserts that a refused restore left the journal as it was and that the next one is free to try. */
async function expectUntouched(store: Store, id: SessionId, refuse: () => Promise<unknown>) {
  const before = await readRecords(store, id)
  await refuse()
  expect(await readRecords(store, id)).toEqual(before)
  expect(await store.leases.isHeld(id)).toBe(false)
}

describe('the ready-made deciders', () => {
  it.each<readonly [string, RestoreDecider, boolean]>([
    ['adoptAll takes everything', adoptAll, true],
    ['adoptFields takes exactly the fields that it names', adoptFields(fields), true],
    ['adoptFields takes less than it names', adoptFields([...fields, 'workspace']), true],
    ['adoptFields refuses one field more', adoptFields(fields.slice(1)), false],
    ['adoptFields refuses one field more, though it is info only', adoptFields(fields.slice(1)), false],
    ['adoptFields names no group of fields', adoptFields(['loops', 'loops.main', 'loops.main.tools']), false],
    ['adoptInfo refuses a warning', adoptInfo, false],
  ])('%s', async (_, onDrift, isAdopted) => {
    const store = memoryStore()
    const id = await parkedSession(store)

    const refused = await refusalOf(rigOf(store, { ...other, onDrift }), id)

    expect(refused === undefined).toBe(isAdopted)
    expect(await adoptionsOf(store, id)).toHaveLength(isAdopted ? 1 : 0)
  })
})

describe('onDrift', () => {
  it('is not asked when nothing differs', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    let asked = 0
    const onDrift: RestoreDecider = () => {
      asked += 1
      return { action: 'reject' }
    }

    expect(await refusalOf(rigOf(store, { onDrift }), id)).toBeUndefined()
    expect(asked).toBe(0)
  })

  it('is asked before a tool is built or a record is written', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const seen: string[] = []
    const look = tool('look')
    const watched = {
      ...look,
      build: (bindings: Parameters<typeof look.build>[0]) => {
        seen.push('built')
        return look.build(bindings)
      },
    }
    const onDrift: RestoreDecider = async () => {
      seen.push(`asked at ${(await readRecords(store, id)).length}`)
      return { action: 'adopt' }
    }
    const { length } = await readRecords(store, id)

    await refusalOf(rigOf(store, { loops: [loop({ system: '', tools: [watched] })], onDrift }), id)

    expect(seen).toEqual([`asked at ${length}`, 'built'])
  })

  it('has its actor and message recorded, each up to its bound', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const decision = { action: 'adopt', actor: 'é'.repeat(100), message: `${'x'.repeat(1_023)}é` } as const

    await refusalOf(rigOf(store, { ...other, onDrift: async () => decision }), id)

    expect(await adoptionsOf(store, id)).toMatchObject([{ by: 'é'.repeat(64), message: 'x'.repeat(1_023) }])
  })

  it('records no actor and no message where there are none', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)

    await refusalOf(rigOf(store, { ...other, onDrift: () => ({ action: 'adopt', actor: '', message: undefined }) }), id)

    const [adopted] = await adoptionsOf(store, id)
    expect(Object.keys(adopted ?? {})).toEqual(['v', 'type', 'config', 'changes'])
  })

  it.each<readonly [string, () => unknown, RestoreRejectedError['reason']]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
      'decider_failed',
    ],
    ['rejects', () => Promise.reject(new Error('no')), 'decider_failed'],
    [
      'answers with an accessor that throws',
      () => ({
        get action() {
          throw new Error('no')
        },
      }),
      'decider_failed',
    ],
    ['answers nothing', () => undefined, 'decider_invalid'],
    ['answers null', async () => null, 'decider_invalid'],
    ['answers true', () => true, 'decider_invalid'],
    ['answers a text', () => 'adopt', 'decider_invalid'],
    ['answers an action that there is not', () => ({ action: 'Adopt' }), 'decider_invalid'],
    ['names an actor that is no text', () => ({ action: 'adopt', actor: 7 }), 'decider_invalid'],
    ['gives a message that is no text', () => ({ action: 'adopt', message: {} }), 'decider_invalid'],
    ['refuses', () => ({ action: 'reject' }), 'rejected'],
  ])('rejects when it %s', async (_, decide, reason) => {
    const store = memoryStore()
    const id = await parkedSession(store)
    // a hostile decider keeps to no type
    const onDrift = decide as () => DriftDecision

    await expectUntouched(store, id, async () => {
      const refused = await refusalOf(rigOf(store, { ...other, onDrift }), id)
      expect(refused).toMatchObject({ code: 'restore_rejected', reason, changes: fields.map((field) => ({ field })) })
    })
  })

  it.each([
    [undefined, 30_000],
    [5, 5],
  ])('rejects when it does not answer in time; driftTimeoutMs %j', async (driftTimeoutMs, allowedMs) => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const clock = fakeClock()
    let seen: AbortSignal | undefined
    let answer: (decision: DriftDecision) => void = () => undefined
    const onDrift: RestoreDecider = (_, { signal }) => {
      seen = signal
      return new Promise((resolve) => {
        answer = resolve
      })
    }

    await expectUntouched(store, id, async () => {
      const refused = refusalOf(rigOf(store, { ...other, clock, driftTimeoutMs, onDrift }), id)
      await clock.whenPending()
      await clock.advance(allowedMs - 1)
      expect(seen?.aborted).toBe(false)
      await clock.advance(1)
      expect((await refused)?.reason).toBe('decider_late')
      expect(seen?.aborted).toBe(true)
      answer({ action: 'adopt' })
    })
    expect(clock.pending).toBe(0)
  })

  it('leaves no timer behind when it answers', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const clock = fakeClock()

    await refusalOf(rigOf(store, { ...other, clock }), id)

    expect(clock.pending).toBe(0)
  })

  it('is given up when the lease is lost meanwhile', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const lost = new AbortController()
    const leases: Store['leases'] = {
      acquire: async (session) => {
        const lease = await store.leases.acquire(session)
        return { session, epoch: lease.epoch, lost: lost.signal, release: () => lease.release() }
      },
      isHeld: (session) => store.leases.isHeld(session),
    }
    const onDrift: RestoreDecider = () => {
      lost.abort()
      return { action: 'adopt' }
    }

    await expectUntouched(store, id, async () => {
      const restore = rigOf({ ledger: store.ledger, leases, close: () => store.close() }, { ...other, onDrift })
      const refused = await restore.restoreSession(id).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(SessionFaultedError)
      expect(refused).toMatchObject({ reason: 'lease_lost' })
    })
  })

  it('is not asked about a session whose loop is gone: nothing could go on with its history', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const renamed = { loops: [loop({ name: 'renamed' })] }

    await expectUntouched(store, id, async () => {
      const refused = await refusalOf(rigOf(store, { ...renamed, onDrift: adoptAll }), id)
      expect(refused).toBeInstanceOf(RestoreRejectedError)
      expect(refused).toMatchObject({
        reason: 'loop_missing',
        changes: [
          { field: 'loops.main', severity: 'warn', recorded: 'starts', present: '' },
          { field: 'loops.renamed', severity: 'info', recorded: '', present: 'starts' },
        ],
      })
    })
  })
})

describe('defineRig', () => {
  it.each<readonly [string, Partial<RigOptions>, string]>([
    ['a decider that is no function', { onDrift: 'adopt' as unknown as RestoreDecider }, 'onDrift'],
    ['no time to decide', { driftTimeoutMs: 0 }, 'driftTimeoutMs'],
    ['more than a day to decide', { driftTimeoutMs: 86_400_001 }, 'driftTimeoutMs'],
    ['a time that is none', { driftTimeoutMs: Number.NaN }, 'driftTimeoutMs'],
    ['app fields that are none', { appFields: null as unknown as Record<string, string> }, 'appFields'],
    [
      '65 app fields',
      { appFields: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, 'x'])) },
      'appFields',
    ],
    ['an app field without a name', { appFields: { '': 'x' } }, 'appFields'],
    ['a long name', { appFields: { ['x'.repeat(129)]: 'x' } }, 'appFields'],
    ['a name of two lines', { appFields: { 'a\nb': 'x' } }, 'appFields'],
    ['an empty value', { appFields: { a: '' } }, 'appFields.a'],
    ['a long value', { appFields: { a: 'é'.repeat(65) } }, 'appFields.a'],
    ['a value that is no text', { appFields: { a: 1 as unknown as string } }, 'appFields.a'],
  ])('refuses %s', (_, options, field) => {
    let refused: unknown
    try {
      defineRig({ loops: [loop()], store: memoryStore(), ...options })
    } catch (error) {
      refused = error
    }

    expect(refused).toBeInstanceOf(DefinitionError)
    expect(refused).toMatchObject({ field })
  })

  it('takes 64 app fields of 128 bytes', async () => {
    const appFields = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`f${String(i).padStart(127, '0')}`, 'x'.repeat(128)]),
    )
    const rig = rigOf(memoryStore(), { appFields })
    await using session = await rig.newSession()

    expect((await rig.inspect(session.id)).manifest.app).toHaveLength(64)
  })
})
