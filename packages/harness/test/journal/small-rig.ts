/** A rig of one loop over a given store, for tests of what becomes durable. */
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { type AccessSource, defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'
import { type Clock, defineLoop, defineRig, interactiveGate, type Rig } from '../../src/index.ts'
import { countingIds, strictClient } from '../../src/testing.ts'

/** What a test sets of the rig. */
export interface SmallRigOptions {
  readonly responses?: readonly ScriptedResponse[]
  readonly tools?: readonly ToolDefinition[]
  readonly clock?: Clock
  /** Another one for every rig on one store, so that no id comes twice. */
  readonly seed?: number
  readonly says?: ReturnType<AccessSource['accessFor']>
  /** The workspace. */
  readonly root?: string
}

export const loopOptions = { name: 'main', model: { provider: 'scripted', name: 'm', capabilities: { images: true } } }

export function smallRig(store: Store, options: SmallRigOptions = {}): Rig {
  const { responses = [], tools, clock, seed = 0, says = 'allow', root } = options
  const access: AccessSource = { kinds: ['test'], accessFor: () => says }
  const client = strictClient(scriptedClient(responses))
  const loop = defineLoop({ ...loopOptions, client, tools, gate: interactiveGate({ access: [access] }) })
  const workspace = root === undefined ? undefined : { root }
  return defineRig({ loops: [loop], store, workspace, clock, ids: countingIds(seed) })
}

/** An effectful tool named `Act`. */
export function actTool(run: (signal: AbortSignal) => void | Promise<void>): ToolDefinition {
  return defineTool({
    name: 'Act',
    description: 'Act.',
    inputSchema: z.strictObject({}),
    prepare: () => ({
      summary: 'act',
      artifact: null,
      requirements: [{ kind: 'test', scope: '', match: 'act', description: 'act' }],
    }),
    run: async (_, { signal }) => {
      await run(signal)
      return textResult('acted')
    },
  })
}

/** A response of one call of `Act`. */
export const act: ScriptedResponse = { toolCalls: [{ id: 'a1', name: 'Act', input: {} }] }

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
