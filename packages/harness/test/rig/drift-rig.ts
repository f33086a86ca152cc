/** Rigs that differ in one thing, over one memory store. */
import type { SessionId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import { scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'
import {
  type ConfigurationAdopted,
  type DriftAssessment,
  defineLoop,
  defineRig,
  type LoopOptions,
  type RestoreDecider,
  RestoreRejectedError,
  type Rig,
  type RigOptions,
} from '../../src/index.ts'
import { countingIds } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'

export const model: Model = { provider: 'p', name: 'm' }

/** A pure tool without arguments, or with these. */
export function tool(name: string, inputSchema: z.ZodType = z.strictObject({})): ToolDefinition {
  return defineTool({ name, description: name, pure: true, inputSchema, run: () => textResult('ok') })
}

const look = tool('look')

/** A loop named `main` with the tool `look`, unless the options say otherwise. */
export function loop(options: Partial<LoopOptions> = {}) {
  const client = scriptedClient([{ text: 'Hi.' }, { text: 'Hi.' }])
  return defineLoop({ name: 'main', system: 'Be brief.', client, model, tools: [look], ...options })
}

let seed = 0

/** A rig of one `main` loop, unless the options say otherwise; its ids are its own. */
export function rigOf(store: Store, options: Partial<RigOptions> = {}): Rig {
  seed += 1_000
  return defineRig({ loops: [loop()], store, ids: countingIds(seed), ...options })
}

/** A session with one turn, which was shut down. */
export async function parkedSession(store: Store, options: Partial<RigOptions> = {}): Promise<SessionId> {
  const session = await rigOf(store, options).newSession()
  await session.submit('go').result()
  await session.shutdown()
  return session.id
}

/** What a restore asks its decider, which refuses; `undefined` when it asks nothing. */
export async function assessmentOf(
  store: Store,
  id: SessionId,
  options: Partial<RigOptions>,
): Promise<DriftAssessment | undefined> {
  let asked: DriftAssessment | undefined
  const onDrift: RestoreDecider = (assessment) => {
    asked = assessment
    return { action: 'reject' }
  }
  const refused = await refusalOf(rigOf(store, { ...options, onDrift }), id)
  if (asked !== undefined && refused === undefined) throw new Error('a refused restore went on')
  return asked
}

/** What a restore is refused with; `undefined` when it went on, and was shut down again. */
export async function refusalOf(rig: Rig, id: SessionId): Promise<RestoreRejectedError | undefined> {
  try {
    await (await rig.restoreSession(id)).shutdown()
    return undefined
  } catch (error) {
    if (error instanceof RestoreRejectedError) return error
    throw error
  }
}

/** The configurations that a session adopted, in order. */
export async function adoptionsOf(store: Store, id: SessionId): Promise<readonly ConfigurationAdopted[]> {
  const bodies: readonly { readonly type?: string }[] = (await readRecords(store, id)).map(({ body }) =>
    JSON.parse(body),
  )
  return bodies.filter((body): body is ConfigurationAdopted => body.type === 'ConfigurationAdopted')
}
