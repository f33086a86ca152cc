import type { InferenceClient } from '@looprig/inference'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import type { AccessSource } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  adoptAll,
  defineHooks,
  defineLoop,
  formatDrift,
  type Gate,
  interactiveGate,
  RestoreRejectedError,
  type RigOptions,
} from '../../src/index.ts'
import { readRecords } from '../journal/stores.ts'
import { parkedSession, refusalOf, rigOf, tool } from './drift-rig.ts'

/** A client as a provider's door makes one: with a key and an address of its own. */
class KeyedClient implements InferenceClient {
  readonly apiKey: string
  readonly baseUrl: string
  readonly #scripted = scriptedClient([{ text: 'Hi.' }])

  constructor(secret: string) {
    this.apiKey = `key-${secret}`
    this.baseUrl = `https://${secret}.test/v1`
  }

  stream: InferenceClient['stream'] = (request, options) => this.#scripted.stream(request, options)
  invoke: InferenceClient['invoke'] = (request, options) => this.#scripted.invoke(request, options)
}

/** A rig that holds a secret wherever one can be. */
function secretive(secret: string): Partial<RigOptions> {
  const schema = z.strictObject({ a: z.enum([`schema-${secret}`]).describe(`described-${secret}`) })
  const source: AccessSource = { kinds: ['k'], accessFor: () => 'ask', fingerprint: `fingerprint-${secret}` }
  const secretLoop = defineLoop({
    name: 'main',
    system: `system-${secret}`,
    client: new KeyedClient(secret),
    model: { provider: 'p', name: 'm', sampling: { stop: [`stop-${secret}`] } },
    tools: [tool('look', schema)],
    gate: interactiveGate({ access: [source] }),
    modes: [{ name: 'plan', instructions: `instructions-${secret}`, tools: [tool('plan', schema)] }],
    initialMode: '',
    output: { schema, description: `output-${secret}` },
    runtimeContext: () => `context-${secret}`,
  })
  const gate: Gate = { evaluate: async () => ({ decision: 'allow' }), confinement: `confinement-${secret}` }
  const custom = defineLoop({
    name: 'custom',
    client: new KeyedClient(secret),
    model: { provider: 'p', name: 'm' },
    gate,
  })
  const hooks = defineHooks({ policyRevision: '1', guards: [{ operation: 'turn', check: () => undefined }] })
  return { loops: [secretLoop, custom], hooks }
}

describe('a session', () => {
  it('records no secret of its rig: not in its manifest, an adoption, an error or a table', async () => {
    const store = memoryStore()
    const [was, is] = ['sentinel-3f9a', 'sentinel-77c1']
    const session = await rigOf(store, secretive(was)).newSession()
    await session.shutdown()
    const refused = await refusalOf(rigOf(store, secretive(is)), session.id)
    await refusalOf(rigOf(store, { ...secretive(is), onDrift: adoptAll }), session.id)

    expect(refused).toBeInstanceOf(RestoreRejectedError)
    const { changes = [] } = refused ?? {}
    expect(changes.length).toBeGreaterThan(6)
    const bodies = (await readRecords(store, session.id)).map(({ body }) => body)
    expect(bodies.filter((body) => body.includes('"ConfigurationAdopted"'))).toHaveLength(1)
    const told = [
      ...bodies,
      String(refused),
      JSON.stringify(refused),
      JSON.stringify(changes),
      formatDrift({ changes }),
    ]
    for (const text of told) expect(text).not.toMatch(/sentinel|3f9a|77c1/)
  })

  it('tells the path of a workspace in no error message', async () => {
    const store = memoryStore()
    const id = await parkedSession(store, { workspace: { root: process.cwd() } })

    const refused = await refusalOf(rigOf(store), id)

    expect(refused?.message).toContain('workspace')
    expect(String(refused)).not.toContain(process.cwd())
  })
})
