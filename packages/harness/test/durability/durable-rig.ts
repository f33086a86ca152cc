/** The rig of the durability tests. It is made from plain data, so that every process can be told to make the same. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import {
  defineTool,
  type Rule,
  type RuleSource,
  type RuleWriter,
  type ToolDefinition,
  textResult,
} from '@looprig/tools'
import { z } from 'zod'
import { type Clock, defineLoop, defineRig, interactiveGate, type Rig } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'

/** What differs between the rigs of the tests. */
export interface RigPlan {
  /** What the model of `main` says. */
  readonly says?: readonly ScriptedResponse[] | undefined
  /** What the model of its agent `scout` says; absent: there is no agent. */
  readonly agent?: readonly ScriptedResponse[] | undefined
  readonly parallel?: number | undefined
  readonly drainTimeoutMs?: number | undefined
  /** Kills the process that saves a rule, before or after the rule is there. */
  readonly killInRules?: 'before' | 'after' | undefined
}

/** What no other process can be told. */
export interface RigParts extends RigPlan {
  readonly clock?: Clock | undefined
}

/** What the tools of a rig touch. */
export interface DurableWorld {
  /** Where effects and rules are kept: they stay when their process is killed. */
  readonly folder: string
  /** Has an effect. Default: one line in the folder. */
  act?(value: string): void
  /** Resolves when a call that is held may end. Default: never. */
  held?(value: string): Promise<void>
  /** Sees every request of the model of `main`. */
  requested?(request: InferenceRequest): void
}

/** A response of calls of one tool, one for each value, with ids that are the values; they may be held. */
export function acts(values: readonly string[], name = 'Act', hold = false): ScriptedResponse {
  return { toolCalls: values.map((value) => ({ id: value, name, input: { value, hold } })) }
}

/** What people and agents say in a request. */
export function saidIn({ messages }: InferenceRequest): readonly string[] {
  return messages.flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))
}

/** The effects that calls had, over all processes, in order. */
export function effectsIn(folder: string): readonly string[] {
  return linesOf(join(folder, 'effects'))
}

/** The rules that are saved. */
export function rulesIn(folder: string): readonly string[] {
  return linesOf(join(folder, 'rules'))
}

/** A person deletes all rules. */
export function deleteRules(folder: string): void {
  writeFileSync(join(folder, 'rules'), '')
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

const kind = 'test.act'

/** An effectful tool; a value that begins with `ask` needs a person. */
function actTool(name: string, { folder, held, ...world }: DurableWorld, replaySafe: boolean): ToolDefinition {
  const act = world.act ?? ((value: string) => appendFileSync(join(folder, 'effects'), `${value}\n`))
  return defineTool({
    name,
    description: 'Has an effect.',
    replaySafe,
    inputSchema: z.strictObject({ value: z.string(), hold: z.boolean().default(false) }),
    prepare: ({ value, hold }) => {
      const description = `act on ${value}`
      const candidates = [{ kind, match: value, description }]
      return {
        summary: description,
        artifact: { value, hold },
        requirements: [{ kind, scope: value, match: value, description, candidates }],
      }
    },
    run: async ({ value, hold }) => {
      act(value)
      // a call that is held does not listen to its abort
      if (hold) await (held?.(value) ?? new Promise<never>(() => undefined))
      return textResult(`acted on ${value}`)
    },
  })
}

/** Rules in a file. */
class RuleFile implements RuleSource, RuleWriter {
  readonly #folder: string
  readonly #kill: RigPlan['killInRules']

  constructor(folder: string, kill: RigPlan['killInRules']) {
    this.#folder = folder
    this.#kill = kill
  }

  denies(): Rule | undefined {
    return undefined
  }

  allows({ match }: { readonly match: string }): Rule | undefined {
    return rulesIn(this.#folder).includes(match) ? { effect: 'allow', kind, match } : undefined
  }

  async writeRules(candidates: readonly { readonly match: string }[]): Promise<void> {
    if (this.#kill === 'before') process.kill(process.pid, 'SIGKILL')
    const matches = new Set([...rulesIn(this.#folder), ...candidates.map(({ match }) => match)])
    writeFileSync(join(this.#folder, 'rules'), [...matches, ''].join('\n'))
    if (this.#kill === 'after') process.kill(process.pid, 'SIGKILL')
  }
}

/** A model whose requests must be such that a provider takes them. */
function seen(client: InferenceClient, { requested }: DurableWorld): InferenceClient {
  return strictClient({
    stream: (request, options) => {
      requested?.(request)
      return client.stream(request, options)
    },
    invoke: (request, options) => client.invoke(request, options),
  })
}

/** Makes the rig. Ids are those of real life, so that any number of processes may have one. */
export function durableRig(store: Store, world: DurableWorld, parts: RigParts = {}): Rig {
  const { says = [], agent, parallel, drainTimeoutMs, killInRules, clock } = parts
  const rules = new RuleFile(world.folder, killInRules)
  const shared = {
    model: { provider: 'scripted', name: 'm' },
    tools: [actTool('Act', world, false), actTool('SafeAct', world, true)],
    limits: { parallel },
    drainTimeoutMs,
    gate: interactiveGate({
      access: [{ kinds: [kind], accessFor: ({ match }) => (match.startsWith('ask') ? 'ask' : 'allow') }],
      rules: { source: rules, writer: rules },
    }),
  }
  const delegation = agent === undefined ? {} : ({ delegates: ['scout'], delegation: 'managed' } as const)
  const main = defineLoop({ name: 'main', client: seen(scriptedClient(says), world), ...shared, ...delegation })
  if (agent === undefined) return defineRig({ loops: [main], store, clock })
  const scout = defineLoop({ name: 'scout', client: strictClient(scriptedClient(agent)), ...shared })
  return defineRig({ loops: [main, scout], store, clock })
}
