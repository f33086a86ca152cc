import { realpathSync } from 'node:fs'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  adoptAll,
  type DriftCategory,
  type DriftSeverity,
  defineHooks,
  type Gate,
  headlessGate,
  interactiveGate,
  type LoopMode,
  type LoopOptions,
  type RigOptions,
} from '../../src/index.ts'
import { readRecords, tempFolder } from '../journal/stores.ts'
import { adoptionsOf, assessmentOf, loop, model, parkedSession, refusalOf, rigOf, tool } from './drift-rig.ts'

type Options = Partial<RigOptions>
type Expected = readonly [field: string, category: DriftCategory, severity: DriftSeverity]

const access: [] = []
const custom: Gate = { evaluate: async () => ({ decision: 'allow' }) }
const [look, more] = [tool('look'), tool('more')]
const lookAtPath = tool('look', z.strictObject({ path: z.string() }))
const plan: LoopMode = { name: 'plan', instructions: 'Plan.' }
const guard = { operation: 'turn', check: () => undefined } as const
const [root, otherRoot] = [tempFolder(), tempFolder()]

/** A rig of one loop with these options. */
const main = (options: Partial<LoopOptions>): Options => ({ loops: [loop(options)] })

const modes = (...list: readonly LoopMode[]): Options => main({ modes: list, initialMode: '' })

const gate = (evaluator: Gate | undefined): Options => main({ gate: evaluator })

const confined = (confinement: string | undefined): Options => gate({ ...custom, headless: true, confinement })

const hooks = (policyRevision: string): Options => ({ hooks: defineHooks({ policyRevision, guards: [guard] }) })

/** The loop `main` with the delegate `helper`. */
const team = (options: Partial<LoopOptions>, helper: Partial<LoopOptions> = {}): Options => ({
  loops: [loop({ delegates: ['helper'], ...options }), loop({ ...helper, name: 'helper' })],
})

const nothing: Options = {}

/** Every thing that can differ: the rig of the session, that of the restore, and what the restore finds. */
const table: readonly (readonly [what: string, was: Options, is: Options, expected: readonly Expected[]])[] = [
  ['nothing', nothing, nothing, []],
  ['the name of the rig', nothing, { name: 'other' }, [['rig', 'display', 'info']]],
  ['an app field', { appFields: { v: '1' } }, { appFields: { v: '2' } }, [['app.v', 'app', 'info']]],
  ['an app field that came', nothing, { appFields: { v: '2' } }, [['app.v', 'app', 'info']]],
  ['an app field that went', { appFields: { v: '1' } }, nothing, [['app.v', 'app', 'info']]],
  ['the workspace', { workspace: { root } }, { workspace: { root: otherRoot } }, [['workspace', 'workspace', 'warn']]],
  ['a workspace that went', { workspace: { root } }, nothing, [['workspace', 'workspace', 'warn']]],
  ['the policy of the hooks', hooks('1'), hooks('2'), [['hooks', 'hooks', 'warn']]],
  ['hooks with a policy that came', nothing, hooks('1'), [['hooks', 'hooks', 'warn']]],
  ['hooks with a policy that went', hooks('1'), nothing, [['hooks', 'hooks', 'warn']]],
  ['one loop more', nothing, { loops: [loop(), loop({ name: 'new' })] }, [['loops.new', 'loops', 'info']]],
  ['one loop less', { loops: [loop(), loop({ name: 'old' })] }, nothing, [['loops.old', 'loops', 'warn']]],
  ['the order of loops', { loops: [loop(), loop({ name: 'b' })] }, { loops: [loop({ name: 'b' }), loop()] }, []],
  ['the model', nothing, main({ model: { ...model, name: 'n' } }), [['loops.main.model', 'model', 'info']]],
  [
    'what the model is called with',
    nothing,
    main({ model: { ...model, sampling: { temperature: 0 } } }),
    [['loops.main.modelSettings', 'model', 'info']],
  ],
  ['the system text', nothing, main({ system: 'Be long.' }), [['loops.main.system', 'system', 'info']]],
  ['a tool that came', nothing, main({ tools: [look, more] }), [['loops.main.tools.more', 'tools', 'info']]],
  ['a tool that went', nothing, main({ tools: [] }), [['loops.main.tools.look', 'tools', 'warn']]],
  ['the arguments of a tool', nothing, main({ tools: [lookAtPath] }), [['loops.main.tools.look', 'tools', 'warn']]],
  ['the order of tools', main({ tools: [look, more] }), main({ tools: [more, look] }), []],
  ['a limit', nothing, main({ limits: { calls: 7 } }), [['loops.main.limits.calls', 'limits', 'info']]],
  ['a limit that came', nothing, main({ limits: { tokens: 7 } }), [['loops.main.limits.tokens', 'limits', 'info']]],
  ['the drain time', nothing, main({ drainTimeoutMs: 1 }), [['loops.main.limits.drainTimeoutMs', 'limits', 'info']]],
  ['none to a headless gate', nothing, gate(headlessGate({ access })), [['loops.main.gate', 'gate', 'warn']]],
  ['none to an interactive gate', nothing, gate(interactiveGate({ access })), [['loops.main.gate', 'gate', 'warn']]],
  ['a gate to none', gate(interactiveGate({ access })), nothing, [['loops.main.gate', 'gate', 'info']]],
  [
    'an interactive gate to a headless one',
    gate(interactiveGate({ access })),
    gate(headlessGate({ access })),
    [['loops.main.gate', 'gate', 'info']],
  ],
  [
    'a headless gate to an interactive one',
    gate(headlessGate({ access })),
    gate(interactiveGate({ access })),
    [['loops.main.gate', 'gate', 'info']],
  ],
  [
    'an interactive gate to a custom one',
    gate(interactiveGate({ access })),
    gate(custom),
    [['loops.main.gate', 'gate', 'warn']],
  ],
  ['a custom gate to none', gate(custom), nothing, [['loops.main.gate', 'gate', 'warn']]],
  ['the confinement', confined('a'), confined('b'), [['loops.main.confinement', 'confinement', 'warn']]],
  ['a confinement that went', confined('a'), confined(undefined), [['loops.main.confinement', 'confinement', 'warn']]],
  ['a confinement that came', confined(undefined), confined('a'), [['loops.main.confinement', 'confinement', 'warn']]],
  [
    'a mode that came',
    nothing,
    modes(plan),
    [
      ['loops.main.initialMode', 'modes', 'info'],
      ['loops.main.modes.plan', 'modes', 'info'],
    ],
  ],
  ['a mode that went', modes(plan, { name: 'fast' }), modes(plan), [['loops.main.modes.fast', 'modes', 'info']]],
  [
    'the first mode',
    main({ modes: [plan], initialMode: '' }),
    main({ modes: [plan], initialMode: 'plan' }),
    [['loops.main.initialMode', 'modes', 'info']],
  ],
  [
    'the instructions of a mode',
    modes(plan),
    modes({ ...plan, instructions: 'Think.' }),
    [['loops.main.modes.plan.instructions', 'system', 'info']],
  ],
  [
    'the system text below a mode',
    modes(plan),
    main({ modes: [plan], initialMode: '', system: 'Be long.' }),
    [['loops.main.system', 'system', 'info']],
  ],
  [
    'the model below a mode',
    modes(plan),
    main({ modes: [plan], initialMode: '', model: { ...model, name: 'n' } }),
    [['loops.main.model', 'model', 'info']],
  ],
  [
    'a limit below a mode',
    modes({ ...plan, limits: { parallel: 2 } }),
    main({ modes: [{ ...plan, limits: { parallel: 2 } }], initialMode: '', limits: { calls: 7 } }),
    [['loops.main.limits.calls', 'limits', 'info']],
  ],
  [
    'the model of a mode',
    modes(plan),
    modes({ ...plan, model: { ...model, name: 'n' } }),
    [['loops.main.modes.plan.model', 'model', 'info']],
  ],
  [
    'a limit of a mode',
    modes(plan),
    modes({ ...plan, limits: { calls: 7 } }),
    [['loops.main.modes.plan.limits.calls', 'limits', 'info']],
  ],
  [
    'a tool of a mode',
    modes({ ...plan, tools: [look] }),
    modes({ ...plan, tools: [lookAtPath] }),
    [['loops.main.modes.plan.tools.look', 'tools', 'warn']],
  ],
  [
    'a mode that lost its own empty list of tools',
    modes({ ...plan, tools: [] }),
    modes(plan),
    [['loops.main.modes.plan.tools', 'tools', 'warn']],
  ],
  [
    'the shape of the output',
    main({ output: { schema: z.strictObject({ a: z.string() }) } }),
    main({ output: { schema: z.strictObject({ b: z.string() }) } }),
    [['loops.main.output', 'output', 'warn']],
  ],
  [
    'an output that came',
    nothing,
    main({ output: { schema: z.strictObject({ a: z.string() }) } }),
    [['loops.main.output', 'output', 'warn']],
  ],
  ['a context policy that came', nothing, main({ context: {} }), [['loops.main.context', 'context', 'info']]],
  [
    'the context policy',
    main({ context: { compactAt: 0.8 } }),
    main({ context: { compactAt: 0.7 } }),
    [['loops.main.context', 'context', 'info']],
  ],
  [
    'the counter of the context policy',
    main({ context: {} }),
    main({ context: { counter: { exact: true, count: async () => 0 } } }),
    [['loops.main.context', 'context', 'info']],
  ],
  ['a context policy that is the same', main({ context: { automatic: true } }), main({ context: {} }), []],
  [
    'a runtime context that came',
    nothing,
    main({ runtimeContext: () => 'now' }),
    [['loops.main.runtimeContext', 'context', 'info']],
  ],
  [
    'one middleware less',
    main({ middlewares: [(_, next) => next(), (_, next) => next()] }),
    main({ middlewares: [(_, next) => next()] }),
    [['loops.main.middlewares', 'middlewares', 'warn']],
  ],
  [
    'one middleware more',
    nothing,
    main({ middlewares: [(_, next) => next()] }),
    [['loops.main.middlewares', 'middlewares', 'info']],
  ],
  [
    'a delegate that came',
    team({}),
    team({ delegates: ['helper', 'main'] }),
    [['loops.main.delegates.main', 'delegates', 'warn']],
  ],
  [
    'delegates that went',
    { ...team({}), primers: ['main', 'helper'] },
    { ...team({ delegates: [] }), primers: ['main', 'helper'] },
    [
      ['loops.main.delegates.helper', 'delegates', 'warn'],
      ['loops.main.delegation', 'delegates', 'warn'],
      ['delegation.depth', 'limits', 'info'],
      ['delegation.quota', 'limits', 'info'],
    ],
  ],
  [
    'how a loop works with its delegates',
    team({}),
    team({ delegation: 'managed' }),
    [['loops.main.delegation', 'delegates', 'warn']],
  ],
  [
    'how many agents there may be',
    team({}),
    { ...team({}), delegation: { quota: 4 } },
    [['delegation.quota', 'limits', 'info']],
  ],
  [
    'a delegate that starts with the session',
    team({}),
    { ...team({}), primers: ['main', 'helper'] },
    [['loops.helper', 'loops', 'warn']],
  ],
  [
    'what a loop says of itself',
    nothing,
    main({ description: 'Reads.' }),
    [['loops.main.description', 'display', 'info']],
  ],
  [
    'the modes of a delegate',
    team({}),
    team({}, { modes: [plan, { name: 'fast' }], initialMode: '' }),
    [
      ['loops.helper.initialMode', 'modes', 'info'],
      ['loops.helper.modes.fast', 'modes', 'info'],
      ['loops.helper.modes.plan', 'modes', 'info'],
    ],
  ],
  [
    'two things, by category',
    nothing,
    { name: 'other', loops: [loop({ system: 'Be long.', tools: [] })], appFields: { z: '1', a: '1' } },
    [
      ['app.a', 'app', 'info'],
      ['app.z', 'app', 'info'],
      ['rig', 'display', 'info'],
      ['loops.main.system', 'system', 'info'],
      ['loops.main.tools.look', 'tools', 'warn'],
    ],
  ],
]

describe('restoreSession with another configuration', () => {
  it.each(table)('finds %s', async (_, was, is, expected) => {
    const store = memoryStore()
    const id = await parkedSession(store, was)

    const assessment = await assessmentOf(store, id, is)

    const found = (assessment?.changes ?? []).map(({ field, category, severity }) => [field, category, severity])
    expect(found).toEqual(expected)
  })

  it.each(table)(
    'decides by itself on %s: it adopts what is info, and rejects with a warning',
    async (_, was, is, expected) => {
      const store = memoryStore()
      const id = await parkedSession(store, was)
      const before = await readRecords(store, id)

      const refused = await refusalOf(rigOf(store, is), id)

      const isRejected = expected.some(([, , severity]) => severity === 'warn')
      expect(refused?.reason).toBe(isRejected ? 'rejected' : undefined)
      const adopted = await adoptionsOf(store, id)
      expect(adopted).toHaveLength(isRejected || expected.length === 0 ? 0 : 1)
      if (isRejected) expect(await readRecords(store, id)).toEqual(before)
    },
  )

  it.each(table)('adopts %s once: the next restore finds nothing and writes nothing', async (_, was, is, expected) => {
    const store = memoryStore()
    const id = await parkedSession(store, was)
    await refusalOf(rigOf(store, { ...is, onDrift: adoptAll }), id)
    const adopted = await readRecords(store, id)

    expect(await refusalOf(rigOf(store, is), id)).toBeUndefined()

    expect(await readRecords(store, id)).toEqual(adopted)
    expect((await adoptionsOf(store, id)).map(({ changes }) => changes.map(({ field }) => field))).toEqual(
      expected.length === 0 ? [] : [expected.map(([field]) => field)],
    )
  })

  it('tells what was recorded and what is there now', async () => {
    const store = memoryStore()
    const id = await parkedSession(store, { workspace: { root }, appFields: { v: '1' } })

    const assessment = await assessmentOf(store, id, { workspace: { root: otherRoot }, loops: [loop({ tools: [] })] })

    const [recorded, present] = [realpathSync(root), realpathSync(otherRoot)]
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(assessment?.changes).toMatchObject([
      { field: 'app.v', recorded: '1', present: '' },
      { field: 'loops.main.tools.look', recorded: digest, present: '' },
      { field: 'workspace', recorded, present },
    ])
    expect(Object.isFrozen(assessment?.changes[0])).toBe(true)
  })
})
