/**
 * A session and all that goes on around it: its owner, other processes, slow readers, a store that fails, restarts. What
 * happens is a list of acts in plain words, so that a script that failed can be read, and played again.
 */
import { isLooprigError, type InputId, type SessionId } from '@looprig/core'
import type { Lease, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import type { ToolDefinition } from '@looprig/tools'
import { expect } from 'vitest'
import {
  defineHooks,
  defineLoop,
  defineRig,
  Denial,
  type Gate,
  type GateAnswer,
  type Hooks,
  interactiveGate,
  type LoopDefinition,
  type OpenGate,
  type Rig,
  type Session,
  type Submission,
  type TurnInspection,
  type TurnResult,
} from '../../src/index.ts'
import {
  type AppendFault,
  countingIds,
  fakeClock,
  faultyStore,
  recordSession,
  type SessionRecording,
  strictClient,
} from '../../src/testing.ts'
import { RuleBook } from '../gate/rule-book.ts'
import { allowing, delivered, model } from '../session/open-session.ts'
import { playedClient } from './played-model.ts'
import { type Effects, playedTools } from './played-tools.ts'
import { settle } from './settle.ts'

/** What else there is: guards of turns that take their time. */
export interface SceneOptions {
  readonly guarded?: boolean
  /** How long a person has to answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

/** One input that was submitted, and what became of it. */
export interface Said {
  readonly act: string
  readonly text: string
  readonly inputId: InputId
  readonly accepted: boolean | undefined
  /** Absent when its session faulted. */
  readonly result: TurnResult | undefined
}

/** What one owner of the session told. */
export interface Told {
  /** Of all durable events, from the first. */
  readonly events: SessionRecording
  /** Of everything since the owner began. */
  readonly live: SessionRecording
  readonly session: Session
  readonly epoch: number | undefined
  /** Another process took the session over from it. */
  isRobbed: boolean
}

interface Asked {
  readonly act: string
  readonly text: string
  readonly submission: Submission
}

const access = allowing(({ match }) => {
  if (/^(ask|rule)/.test(match)) return 'ask'
  return match.startsWith('never') ? 'deny' : 'allow'
})

function playedLoops(gate: Gate, tools: readonly ToolDefinition[]): readonly LoopDefinition[] {
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

export class Scene {
  /** Of all processes. */
  readonly rig: Rig
  readonly clock = fakeClock()
  readonly effects: Effects = new Map()
  readonly rules = new RuleBook()
  /** Every owner, the present one last. */
  readonly told: Told[] = []
  /** Of hooks that were told of a begin and of no end. */
  readonly hooksOpen = new Set<string>()
  /** Appends of owners that had faulted. */
  afterFaults = 0
  readonly #options: SceneOptions
  readonly #store: Store
  #session: Session | undefined
  #isClosed = false
  #answers = 0
  #mailboxes = 0
  #lease: Lease | undefined
  /** What goes wrong with the next appends of an owner. */
  readonly #faults: AppendFault[] = []
  readonly #asked: Asked[] = []
  readonly #calls: { readonly act: string; readonly outcome: Promise<unknown> }[] = []
  readonly #mailed: { readonly act: string; readonly outcome: Promise<InputId | undefined> }[] = []

  constructor(options: SceneOptions = {}) {
    this.#options = options
    const { timeoutMs } = options
    const gate = interactiveGate({ access: [access], rules: { source: this.rules, writer: this.rules }, timeoutMs })
    const memory = memoryStore({ clock: () => this.clock.now() })
    const leases: Store['leases'] = {
      acquire: async (id) => (this.#lease = await memory.leases.acquire(id)),
      isHeld: (id) => memory.leases.isHeld(id),
    }
    this.#store = faultyStore({ ...memory, leases }, (_, { epoch }) => {
      if (epoch === undefined) return undefined
      const owner = this.told.find((told) => told.epoch === epoch)
      if (owner?.session.fault !== undefined) this.afterFaults += 1
      return this.#faults.shift()
    })
    this.rig = defineRig({
      loops: playedLoops(gate, playedTools(this.clock, this.effects)),
      primers: ['main', 'side'],
      delegation: { quota: 12 },
      store: this.#store,
      clock: this.clock,
      ids: countingIds(),
      hooks: this.#defineHooks(),
    })
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('the scene has not begun')
    return this.#session
  }

  /** No other process wrote anything: what it writes is due until an owner has made a record of its own. */
  get isQuiet(): boolean {
    return this.#mailboxes === 0 && this.session.fault === undefined
  }

  get id(): SessionId {
    return this.session.id
  }

  get store(): Store {
    return this.#store
  }

  async begin(): Promise<void> {
    this.#own(await this.rig.newSession())
  }

  /** Performs one act. Most come back at once: what they lead to goes on beside the next ones. */
  async perform(act: string): Promise<void> {
    const [verb = '', ...words] = act.split(' ')
    const number = Number(words[0] ?? 0)
    switch (verb) {
      case 'submit':
      case 'alone':
        this.#submit(act, ['do', ...words].join(' '), verb === 'alone')
        return
      case 'again': {
        const before = this.#asked.at(-1 - number)
        if (before !== undefined) this.#submit(act, before.text, false, before.submission.inputId)
        return
      }
      case 'mail': {
        this.#mail(act, ['do', ...words].join(' '), words.length % 3 === 1)
        return
      }
      case 'cancel':
      case 'recall': {
        const inputId = this.#asked.at(-1 - number)?.submission.inputId
        const owner = verb === 'cancel' ? this.session : this.#mailbox()
        if (inputId !== undefined) this.#call(act, owner.cancel(inputId))
        return
      }
      case 'drop': {
        // whatever waits, also what agents sent
        const { loops } = await this.inspect()
        const queued = loops.flatMap((loop) => loop.queued)
        const input = queued[number % Math.max(1, queued.length)]
        const owner = number % 2 === 0 ? this.session : this.#mailbox()
        if (input !== undefined) this.#call(act, owner.cancel(input.inputId))
        return
      }
      case 'interrupt':
        this.#call(act, this.session.interrupt())
        return
      case 'answer':
      case 'reply': {
        // a person answers what is asked by now, or soon
        for (let turns = 0; turns < 8 && this.session.gates().length === 0; turns += 1) await delivered()
        const gates = this.session.gates()
        const gate = gates[number % Math.max(1, gates.length)]
        const owner = verb === 'answer' ? this.session : this.#mailbox()
        if (gate !== undefined) this.#call(act, owner.answer(gate.gateId, answerTo(gate, words[1] ?? 'deny')))
        return
      }
      case 'mode':
        this.#call(act, this.session.setMode(words[0] === 'base' ? '' : (words[0] ?? ''), this.#anyLoop(words[1])))
        return
      case 'model':
        this.#call(act, this.session.setModel({ ...model, name: words[0] ?? 'm' }, this.#anyLoop(words[1])))
        return
      case 'compact':
        this.#call(act, this.session.compact(this.#anyLoop(words[0])))
        return
      case 'switch': {
        const other = this.session.loops.slice(0, 2).find(({ loopId }) => loopId !== this.session.loopId)
        if (other !== undefined) this.#call(act, this.session.setActiveLoop(other.loopId))
        return
      }
      case 'wait':
        for (let turn = 0; turn < number; turn += 1) await delivered()
        return
      case 'tick':
        for (let tick = 0; tick < number; tick += 1) await Promise.resolve()
        return
      case 'clock':
        await this.clock.advance(number)
        return
      case 'refused':
        this.#faults.push({ kind: 'refused' })
        return
      case 'lost':
      case 'written':
        this.#faults.push(...Array<AppendFault>(number).fill({ kind: 'unknown', written: verb === 'written' }))
        return
      case 'slow':
        this.#faults.push({ kind: 'hooked', before: () => delivered(), after: () => delivered() })
        return
      case 'race':
        this.#faults.push({ kind: 'hooked', before: () => this.perform(words.join(' ')).then(delivered) })
        return
      case 'crowd':
        // more than can wait, from a process that does not ask how many there are
        for (let count = 0; count < 70; count += 1) this.#mail(act, 'do', false)
        return
      case 'follow': {
        const since = Math.max(0, (this.told.at(-1)?.events.deliveries.at(-1)?.seq ?? 0) - number)
        this.#call(act, this.session.subscribe({ since }).next())
        return
      }
      case 'restart':
        await this.restart()
        return
      case 'close':
        // what comes next finds a session that ends, until somebody restores it
        this.#isClosed = true
        this.#call(act, this.session.shutdown())
        return
      case 'rob':
        await this.#lease?.release()
        for (const told of this.told) told.isRobbed = true
        await this.#restore()
        return
      default:
        throw new Error(`no such act: ${act}`)
    }
  }

  /** Ends the owner as `await using` does, and restores the session. */
  async restart(): Promise<void> {
    await this.settled('shutdown', this.session.shutdown())
    await this.#expectDue()
    await this.#restore()
  }

  /** A worker is told of what waits for a loop that rests; not of what people have to do. */
  async #expectDue(): Promise<void> {
    const { loops } = await this.inspect()
    const isWork = loops.some(({ turn, queued }) => turn === undefined && queued.length > 0)
    const due = await this.rig.due()
    if (isWork) expect(due, 'work is due').toEqual([this.id])
    // a gate whose time is over is due, and so is what was approved and did not run
    const isAsked = loops.every(({ turn }) => turn === undefined || onlyWaits(turn))
    // and once, for nothing, what waits for one agent after another has come back
    const isQuiet = this.isQuiet && this.#options.timeoutMs === undefined && loops.length === 2
    if (!isWork && isAsked && isQuiet) expect(due, 'what rests is not due').toEqual([])
  }

  /** Lets everything come to rest: people answer what is asked until nothing runs and nothing waits. */
  async finish(): Promise<void> {
    await this.mailed()
    this.#faults.length = 0
    for (let tries = 0; ; tries += 1) {
      if (tries === 5) throw new Error('the session faults again and again')
      if (this.session.fault !== undefined || this.#isClosed) await this.restart()
      const idle = this.session.waitIdle().catch((error: unknown) => error)
      if ((await this.settled('waitIdle', idle, (turns) => this.#help(turns))) === 'idle') break
    }
    for (const { session } of this.told) if (session !== this.session) await this.settled('shutdown', session.shutdown())
    await this.settled('recordings', Promise.all(this.told.slice(0, -1).map(({ events }) => events.ended)))
  }

  /** Ends the session for good, while `acts` go on beside it. */
  async stop(acts: readonly string[]): Promise<void> {
    const stopped = this.session.stop()
    stopped.catch(() => undefined)
    for (const act of acts) await this.perform(act)
    await this.settled('stop', stopped)
    await this.mailed()
  }

  async end(): Promise<void> {
    await this.settled('shutdown', this.session.shutdown())
    const endings = this.told.flatMap(({ events, live }) => [events.ended, live.ended])
    await this.settled('recordings', Promise.all(endings))
  }

  /** What every call came to: that it did, and that a failure has a code. */
  async outcomes(): Promise<readonly { readonly act: string; readonly outcome: unknown }[]> {
    const outcomes: { act: string; outcome: unknown }[] = []
    for (const { act, outcome } of this.#calls) outcomes.push({ act, outcome: await this.settled(act, outcome) })
    return outcomes
  }

  async said(): Promise<readonly Said[]> {
    const said: Said[] = []
    for (const { act, text, submission } of this.#asked) {
      const accepted = await this.settled(`accepted of ${act}`, outcomeOf(submission.accepted))
      const result = await this.settled(`result of ${act}`, submission.result().catch(typed))
      said.push({
        ...{ act, text, inputId: submission.inputId },
        accepted: accepted === undefined ? true : accepted.code === 'session_faulted' ? undefined : false,
        result: 'status' in result ? result : undefined,
      })
    }
    return said
  }

  /** The inputs that a mailbox took. */
  async mailed(): Promise<readonly InputId[]> {
    const ids: InputId[] = []
    for (const { act, outcome } of this.#mailed) {
      const id = await this.settled(act, outcome)
      if (typeof id === 'string') ids.push(id)
    }
    return ids
  }

  /** Waits for a promise while time goes by; `meanwhile` runs in every turn. */
  settled<T>(what: string, promise: Promise<T>, meanwhile?: (turns: number) => void): Promise<T> {
    return settle(this.clock, promise, meanwhile, what)
  }

  async inspect() {
    return this.rig.inspect(this.id)
  }

  #defineHooks(): Hooks {
    const operations = ['turn', 'step', 'inference', 'compaction', 'tool_call', 'gate_wait', 'tool_execution'] as const
    const around = operations.map((operation) => ({
      operation,
      begin: (subject: object) => {
        const name = `${operation} ${JSON.stringify(subject)}`
        this.hooksOpen.add(name)
        return () => void this.hooksOpen.delete(name)
      },
    }))
    if (this.#options.guarded !== true) return defineHooks({ around })
    const check = async (subject: object) => {
      await delivered()
      if (JSON.stringify(subject).includes('fail')) throw new Denial('no', 'no failures')
      return undefined
    }
    return defineHooks({ policyRevision: '1', guards: [{ operation: 'turn', check }], around })
  }

  #own(session: Session): void {
    this.#session = session
    this.#isClosed = false
    const events = recordSession(session, { since: 0, filter: { class: 'enduring' } })
    const epoch = this.#lease?.epoch
    this.told.push({ session, epoch, events, live: recordSession(session), isRobbed: false })
  }

  /** Troubles of the store may keep a restore from its append: they end, and it is tried again. */
  async #restore(): Promise<void> {
    const { id } = this
    for (let tries = 0; tries < 5; tries += 1) {
      if (tries === 2) this.#faults.length = 0
      const restored = await this.settled('restore', this.rig.restoreSession(id).catch(typed))
      if ('submit' in restored) return this.#own(restored)
    }
    throw new Error('the session cannot be restored')
  }

  #submit(act: string, text: string, noFold: boolean, inputId?: InputId): void {
    // a slow reader: it takes one event and then no more
    const submission = this.session.submit(text, { noFold, inputId })
    this.#call(act, submission[Symbol.asyncIterator]().next())
    this.#asked.push({ act, text, submission })
  }

  #mail(act: string, text: string, noFold: boolean): void {
    this.#mailed.push({ act, outcome: this.#call(act, this.#mailbox().submit(text, { noFold })) })
  }

  #mailbox() {
    this.#mailboxes += 1
    return this.rig.mailbox(this.id)
  }

  #anyLoop(word: string | undefined) {
    const { loops } = this.session
    return word === undefined ? {} : { loopId: loops[Number(word) % loops.length]?.loopId }
  }

  #call<T>(act: string, promise: Promise<T>): Promise<T | undefined> {
    this.#calls.push({ act, outcome: promise.catch(typed) })
    return promise.catch(() => undefined)
  }

  /** Answers what is asked, and interrupts what goes on and on. */
  #help(turns: number): void {
    if (turns % 100 === 99) this.session.interrupt().catch(() => undefined)
    for (const gate of this.session.gates()) {
      this.#answers += 1
      const word = ['deny', 'yes', 'always'][this.#answers % 3]
      this.session.answer(gate.gateId, answerTo(gate, word ?? 'deny')).catch(() => undefined)
    }
  }
}

/** Says whether all that is left of a turn waits for people, or for an agent. */
function onlyWaits({ calls, gates }: TurnInspection): boolean {
  return calls.every(({ result, executionId, name }) => {
    const isOpen = gates.some(({ toolExecutionId }) => toolExecutionId === executionId)
    return result !== undefined || isOpen || name.endsWith('Agent')
  })
}

function answerTo(gate: OpenGate, word: string): GateAnswer {
  if (gate.kind === 'question') return { answer: word === 'deny' ? 'no' : 'yes' }
  const wanted = word === 'always' ? 'approve_always' : word === 'yes' ? 'approve' : 'deny'
  return { action: gate.actions.find((action) => action === wanted) ?? 'deny' }
}

/** A failure that has a code; any other is one of ours. */
function typed(error: unknown): { readonly code: string } {
  if (isLooprigError(error)) return error
  throw error
}

function outcomeOf(promise: Promise<void>): Promise<{ readonly code: string } | undefined> {
  return promise.then(() => undefined, typed)
}
