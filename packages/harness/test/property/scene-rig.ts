/** The rig of a scene: loops that start each other, modes, rules, compactions, and hooks that watch everything. */
import type { Store } from '@looprig/store'
import type { ToolDefinition } from '@looprig/tools'
import {
  Denial,
  defineHooks,
  defineLoop,
  defineRig,
  type Gate,
  type Hooks,
  interactiveGate,
  type LoopDefinition,
  type Rig,
} from '../../src/index.ts'
import { countingIds, type FakeClock, strictClient } from '../../src/testing.ts'
import { RuleBook } from '../gate/rule-book.ts'
import { allowing, delivered, model } from '../session/open-session.ts'
import { playedClient } from './played-model.ts'
import { type Effects, playedTools } from './played-tools.ts'

/** What else there is. */
export interface SceneOptions {
  /** Turns have a guard that takes its time. */
  readonly guarded?: boolean
  /** How long a person has to answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** What a rig of a scene works on. */
export interface SceneRigParts {
  readonly store: Store
  readonly clock: FakeClock
  readonly effects: Effects
  /** Gets the operations that hooks were told of, until they are told of the end. */
  readonly hooksOpen: Set<string>
  readonly options: SceneOptions
}

const access = allowing(({ match }) => {
  if (/^(ask|rule)/.test(match)) return 'ask'
  return match.startsWith('never') ? 'deny' : 'allow'
})

/** Makes the one rig of all processes. */
export function sceneRig({ store, clock, effects, hooksOpen, options }: SceneRigParts): Rig {
  const { guarded = false, timeoutMs } = options
  const book = new RuleBook()
  const gate = interactiveGate({ access: [access], rules: { source: book, writer: book }, timeoutMs })
  return defineRig({
    loops: sceneLoops(gate, playedTools(clock, effects)),
    primers: ['main', 'side'],
    delegation: { quota: 12 },
    ...{ store, clock, ids: countingIds(), hooks: sceneHooks(hooksOpen, guarded) },
  })
}

function sceneLoops(gate: Gate, tools: readonly ToolDefinition[]): readonly LoopDefinition[] {
  const loop = {
    ...{ gate, tools, client: strictClient(playedClient()), model: { ...model, limits: { windowTokens: 8_000 } } },
    context: { reservedOutputTokens: 400, safetyMarginTokens: 100, keepRecentSegments: 1, maxSummaryTokens: 300 },
    modes: [
      { name: 'other', model: { ...model, name: 'other' } },
      { name: 'bare', tools: [] },
    ],
    initialMode: '',
  } as const
  return [
    defineLoop({ ...loop, name: 'main', delegates: ['helper'], delegation: 'managed' }),
    defineLoop({ ...loop, name: 'side' }),
    defineLoop({ ...loop, name: 'helper', delegates: ['helper'], delegation: 'managed' }),
  ]
}

function sceneHooks(open: Set<string>, guarded: boolean): Hooks {
  const operations = ['turn', 'step', 'inference', 'compaction', 'tool_call', 'gate_wait', 'tool_execution'] as const
  const around = operations.map((operation) => ({
    operation,
    begin: (subject: object) => {
      const name = `${operation} ${JSON.stringify(subject)}`
      open.add(name)
      return () => void open.delete(name)
    },
  }))
  if (!guarded) return defineHooks({ around })
  const check = async (subject: object) => {
    await delivered()
    if (JSON.stringify(subject).includes('fail')) throw new Denial('no', 'no failures')
    return undefined
  }
  return defineHooks({ policyRevision: '1', guards: [{ operation: 'turn', check }], around })
}
