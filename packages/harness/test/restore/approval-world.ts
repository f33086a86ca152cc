/** A world that outlives the processes of its sessions: files, rules, a sandbox, a store with a time of its own. */
import type { SessionId } from '@looprig/core'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import {
  type Access,
  defineTool,
  type Preview,
  type Requirement,
  type ToolDefinition,
  textResult,
  type UserQuestion,
} from '@looprig/tools'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  adoptAll,
  type Clock,
  defineLoop,
  defineRig,
  type Gate,
  type GateAction,
  headlessGate,
  interactiveGate,
  type Rig,
  type Session,
} from '../../src/index.ts'
import { countingIds, recordSession, strictClient } from '../../src/testing.ts'
import { permissions } from '../gate/open-gates.ts'
import { RuleBook } from '../gate/rule-book.ts'
import { readRecords } from '../journal/stores.ts'
import { calling, kind } from '../session/open-session.ts'

/** What differs between two processes. */
export interface ProcessOptions {
  readonly responses?: readonly ScriptedResponse[]
  readonly headless?: boolean
  readonly timeoutMs?: number
  readonly approvalTtlMs?: number
  readonly clock?: Clock
  /** Instead of the world's own. */
  readonly gate?: Gate
  /** Instead of the tool `edit`. */
  readonly tools?: readonly ToolDefinition[]
}

export class ApprovalWorld {
  readonly book = new RuleBook()
  /** What `edit` did, by its value. */
  readonly effects: string[] = []
  /** What a process asked of configured access. */
  readonly evaluations: string[] = []
  /** The file that the artifact of `edit` is made from. */
  file = 'as it was'
  /** The confinement. */
  fingerprint: string | undefined = 'enforced'
  access: (requirement: Requirement) => Access = () => 'ask'
  preview: Preview | undefined
  question: UserQuestion | undefined
  replaySafe = false
  /** Runs in every `edit`, after its effect. */
  afterEffect: () => void | Promise<void> = () => undefined
  /** The store's time. */
  now = 1_000_000
  #processes = 0

  newStore(): Store {
    return memoryStore({ clock: () => this.now })
  }

  /** The rig of one more process. */
  rig(store: Store, options: ProcessOptions = {}): Rig {
    const { responses = [{ text: 'ok' }, { text: 'ok' }], timeoutMs, approvalTtlMs, clock } = options
    const access = [
      {
        kinds: [kind],
        accessFor: (requirement: Requirement) => {
          this.evaluations.push(requirement.match)
          return this.access(requirement)
        },
        fingerprint: this.fingerprint,
      },
    ]
    const rules = { source: this.book, writer: this.book }
    const asking = () => interactiveGate({ access, rules, timeoutMs })
    const gate = options.gate ?? (options.headless === true ? headlessGate({ access, rules }) : asking())
    const client = strictClient(scriptedClient(responses))
    const model = { provider: 'scripted', name: 'm' }
    const loop = defineLoop({ name: 'main', client, model, gate, tools: options.tools ?? [this.editTool()] })
    this.#processes += 1
    const ids = countingIds(this.#processes)
    return defineRig({ loops: [loop], store, clock, approvalTtlMs, onDrift: adoptAll, ids })
  }

  /** Begins a session that has called `edit` for each value and waits for people. */
  async waiting(values: readonly string[], options: ProcessOptions = {}) {
    const store = this.newStore()
    const calls = values.map((value) => ({ id: value, name: 'edit', input: { value } }))
    const rig = this.rig(store, { responses: [calling(...calls), { text: 'ok' }], ...options })
    const session = await rig.newSession()
    onTestFinished(() => session.shutdown())
    const submission = session.submit('Go')
    await session.waitIdle({ orWaiting: true })
    return { store, session, submission }
  }

  /** Kills the owner: what was durable at this moment is all that is left, in a store that nobody holds. */
  async crash(session: Session, store: Store): Promise<Store> {
    const left = this.newStore()
    const lease = await left.leases.acquire(session.id)
    const { now } = this
    for (const { id, kind: recordKind, body, digest, at } of await readRecords(store, session.id)) {
      this.now = at
      const record = { id, kind: recordKind, body, digest }
      await left.ledger.append({ session: session.id, epoch: lease.epoch, records: [record] })
    }
    this.now = now
    await lease.release()
    return left
  }

  /** Restores in one more process. */
  async restore(store: Store, id: SessionId, options: ProcessOptions = {}) {
    const session = await this.rig(store, options).restoreSession(id)
    onTestFinished(() => session.shutdown())
    return { session, recording: recordSession(session, { since: 0 }) }
  }

  /** Edits, with a requirement for each match besides that of its value. */
  editTool(alsoNeeds: readonly string[] = []): ToolDefinition {
    return defineTool({
      name: 'edit',
      description: 'Edits.',
      replaySafe: this.replaySafe,
      inputSchema: z.strictObject({ value: z.string() }),
      prepare: ({ value }) => ({
        summary: `edit ${value}`,
        artifact: { value, before: this.file },
        requirements: [
          {
            kind,
            scope: value,
            match: value,
            description: `edit ${value}`,
            candidates: [{ kind, match: value, description: `edit ${value}` }],
          },
          ...alsoNeeds.map((match) => ({ kind, scope: match, match, description: `need ${match}` })),
        ],
        ...(this.preview === undefined ? {} : { preview: this.preview }),
        ...(this.question === undefined ? {} : { question: this.question }),
      }),
      run: async ({ value }) => {
        this.effects.push(value)
        await this.afterEffect()
        return textResult(`edited ${value}`)
      },
    })
  }
}

/** Answers the open gate of one value. */
export async function decide(session: Session, value: string, action: GateAction): Promise<void> {
  const gate = permissions(session).find(({ request }) => request.summary === `edit ${value}`)
  if (gate === undefined) throw new Error(`no gate for ${value}`)
  await session.answer(gate.gateId, { action })
}

/** The types of what a journal holds, with the reasons of resolutions. */
export async function told(store: Store, id: SessionId): Promise<readonly string[]> {
  return (await readRecords(store, id)).map(({ id: recordId, body }) => {
    const { type, reason } = JSON.parse(body) as { readonly type?: string; readonly reason?: string }
    if (type === 'GateResolved') return `${type} ${reason}`
    return type ?? recordId.split('/')[0] ?? ''
  })
}
