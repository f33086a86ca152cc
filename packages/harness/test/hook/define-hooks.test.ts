import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { DefinitionError, Denial, defineHooks, defineLoop, defineRig, type HooksOptions } from '../../src/index.ts'

/** Gives the field that a definition is refused for. */
function refusedField(define: () => unknown): string | undefined {
  try {
    define()
    return undefined
  } catch (error) {
    if (error instanceof DefinitionError) return error.field
    throw error
  }
}

const check = () => undefined
const guard = { operation: 'turn', check } as const

describe('defineHooks', () => {
  it('takes guards on what can be denied, and observers of everything', () => {
    const hooks = defineHooks({
      policyRevision: 'v1',
      guards: (['turn', 'inference', 'compaction', 'tool_call'] as const).map((operation) => ({ operation, check })),
      around: (['turn', 'step', 'inference', 'compaction', 'tool_call', 'gate_wait', 'tool_execution'] as const).map(
        (operation) => ({ operation, begin: () => undefined }),
      ),
    })

    expect(hooks.policyRevision).toBe('v1')
    expect(Object.isFrozen(hooks)).toBe(true)
  })

  it.each(['step', 'gate_wait', 'tool_execution', 'journal_append', undefined])(
    'refuses a guard on %s',
    (operation) => {
      const options = { policyRevision: 'v1', guards: [guard, { operation, check }] } as unknown as HooksOptions

      expect(refusedField(() => defineHooks(options))).toBe('guards[1].operation')
    },
  )

  it.each([
    ['a guard without a check', { policyRevision: 'v1', guards: [{ operation: 'turn' }] }, 'guards[0].check'],
    ['a guard that is nothing', { policyRevision: 'v1', guards: [null] }, 'guards[0].operation'],
    ['an observer of nothing known', { around: [{ operation: 'Turn', begin: check }] }, 'around[0].operation'],
    ['an observer without a begin', { around: [{ operation: 'turn' }] }, 'around[0].begin'],
    ['guards without a policy revision', { guards: [guard] }, 'policyRevision'],
    ['a policy revision without guards', { policyRevision: 'v1', around: [] }, 'policyRevision'],
    ['a blank policy revision', { policyRevision: '', guards: [guard] }, 'policyRevision'],
    ['a padded policy revision', { policyRevision: ' v1', guards: [guard] }, 'policyRevision'],
    ['a policy revision with a line end', { policyRevision: 'v\n1', guards: [guard] }, 'policyRevision'],
    ['a policy revision of 129 bytes', { policyRevision: `${'é'.repeat(64)}x`, guards: [guard] }, 'policyRevision'],
    ['a policy revision that is no text', { policyRevision: 1, guards: [guard] }, 'policyRevision'],
  ])('refuses %s', (_what, options, field) => {
    expect(refusedField(() => defineHooks(options as unknown as HooksOptions))).toBe(field)
  })

  it('takes a policy revision of 128 bytes', () => {
    const policyRevision = 'é'.repeat(64)

    expect(defineHooks({ policyRevision, guards: [guard] }).policyRevision).toBe(policyRevision)
  })

  it('is what a rig takes, and nothing that looks like it', () => {
    const loop = defineLoop({ name: 'main', client: scriptedClient([]), model: { provider: 'p', name: 'm' } })
    const parts = { loops: [loop], store: memoryStore() }

    expect(refusedField(() => defineRig({ ...parts, hooks: defineHooks({}) }))).toBeUndefined()
    expect(refusedField(() => defineRig({ ...parts, hooks: { policyRevision: undefined } }))).toBe('hooks')
  })
})

describe('Denial', () => {
  it.each(['budget', 'a', 'a.b-c_9', 'x'.repeat(64)])('takes the code %s', (code) => {
    expect(new Denial(code, 'why')).toMatchObject({ code, reason: 'why', message: 'why' })
  })

  it.each(['', 'Budget', '9a', 'a b', 'x'.repeat(65), 'a\n', undefined])('refuses the code %j', (code) => {
    expect(() => new Denial(code as string, 'why')).toThrow(RangeError)
  })

  it.each(['', '  ', 'a\nb', 'a\u0000', '\u2028', '\ud800', 'x'.repeat(1_025), undefined])(
    'refuses the reason %j',
    (reason) => {
      expect(() => new Denial('code', reason as string)).toThrow(RangeError)
    },
  )

  it('takes a reason of 1,024 characters', () => {
    expect(new Denial('code', 'x'.repeat(1_024)).reason).toHaveLength(1_024)
  })
})
