/** Rigs whose sessions have resources, over a memory store and real folders. */
import { join } from 'node:path'
import type { InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import type { ToolDefinition } from '@looprig/tools'
import { onTestFinished } from 'vitest'
import { type Clock, defineLoop, defineRig, type LoopOptions, type RigOptions, type Session } from '../../src/index.ts'
import { recordSession, strictClient } from '../../src/testing.ts'
import { tempFolder } from '../journal/stores.ts'
import { model } from '../session/open-session.ts'
import { countTool, type Made } from './counter.ts'

export interface ResourceSetup {
  readonly responses?: readonly ScriptedResponse[]
  readonly store?: Store
  readonly root?: string
  readonly tools?: readonly ToolDefinition[]
  readonly clock?: Clock
  readonly loop?: Partial<LoopOptions>
  readonly rig?: Partial<RigOptions>
}

/** A rig with the counting tool; every request must be one that a provider takes. */
export function resourceRig(setup: ResourceSetup = {}) {
  const { store = memoryStore(), root = join(tempFolder(), 'resources'), clock } = setup
  const made: Made = []
  const requests: InferenceRequest[] = []
  const scripted = scriptedClient(setup.responses ?? [])
  const loop = defineLoop({
    name: 'main',
    client: strictClient({
      stream: (request, options) => {
        requests.push(request)
        return scripted.stream(request, options)
      },
      invoke: (request, options) => scripted.invoke(request, options),
    }),
    model,
    tools: setup.tools ?? [countTool(made)],
    ...setup.loop,
  })
  const rig = defineRig({ loops: [loop], store, resources: { root }, clock, ...setup.rig })
  return { rig, store, root, made, requests }
}

/** Records a session that is shut down after the test. */
export function watched(session: Session, since?: number) {
  onTestFinished(() => session.shutdown().catch(() => undefined))
  return recordSession(session, since === undefined ? {} : { since })
}
