/**
 * A session and all that goes on around it: its owner, other processes, slow readers, a store that fails, restarts. What
 * happens is a list of acts in plain words; see `perform`.
 */
import type { SessionId } from '@looprig/core'
import type { Lease, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { expect } from 'vitest'
import type { Rig, Session, TurnInspection } from '../../src/index.ts'
import { type AppendFault, fakeClock, faultyStore, recordSession, type SessionRecording } from '../../src/testing.ts'
import { answerTo } from './answer-to.ts'
import { perform } from './perform.ts'
import type { Effects } from './played-tools.ts'
import { SceneCalls, typed } from './scene-calls.ts'
import { type SceneOptions, sceneRig } from './scene-rig.ts'
import { settle } from './settle.ts'

/** What one owner of the session told. */
export interface Told {
  readonly session: Session
  readonly epoch: number | undefined
  /** Of all durable events, from the first. */
  readonly events: SessionRecording
  /** Of everything since the owner began. */
  readonly live: SessionRecording
  /** Another process took the session over from it. */
  isRobbed: boolean
}

export class Scene {
  /** Of all processes. */
  readonly rig: Rig
  readonly store: Store
  readonly clock = fakeClock()
  readonly effects: Effects = new Map()
  readonly calls = new SceneCalls((what, promise) => this.settled(what, promise))
  /** What goes wrong with the next appends of an owner. */
  readonly faults: AppendFault[] = []
  /** Every owner, the present one last. */
  readonly told: Told[] = []
  /** Of hooks that were told of a begin and of no end. */
  readonly hooksOpen = new Set<string>()
  /** Appends of owners that had faulted. */
  afterFaults = 0
  readonly #options: SceneOptions
  #session: Session | undefined
  #lease: Lease | undefined
  #isClosed = false
  #answers = 0
  #mailboxes = 0

  constructor(options: SceneOptions = {}) {
    this.#options = options
    const memory = memoryStore({ clock: () => this.clock.now() })
    const leases: Store['leases'] = {
      acquire: async (id) => (this.#lease = await memory.leases.acquire(id)),
      isHeld: (id) => memory.leases.isHeld(id),
    }
    this.store = faultyStore({ ...memory, leases }, (_, { epoch }) => {
      if (epoch === undefined) return undefined
      const owner = this.told.find((told) => told.epoch === epoch)
      if (owner?.session.fault !== undefined) this.afterFaults += 1
      return this.faults.shift()
    })
    const { store, clock, effects, hooksOpen } = this
    this.rig = sceneRig({ store, clock, effects, hooksOpen, options })
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('the scene has not begun')
    return this.#session
  }

  get id(): SessionId {
    return this.session.id
  }

  /** No other process wrote anything: what it writes is due until an owner has made a record of its own. */
  get isQuiet(): boolean {
    return this.#mailboxes === 0 && this.session.fault === undefined
  }

  /** The seq of the last durable event that was heard. */
  get heard(): number {
    return this.told.at(-1)?.events.deliveries.at(-1)?.seq ?? 0
  }

  async begin(): Promise<void> {
    this.#own(await this.rig.newSession())
  }

  perform(act: string): Promise<void> {
    return perform(this, act)
  }

  inspect() {
    return this.rig.inspect(this.id)
  }

  /** What another process may do. */
  mailbox() {
    this.#mailboxes += 1
    return this.rig.mailbox(this.id)
  }

  /** Begins to end the session as `await using` does. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.session.shutdown()
  }

  /** Ends the owner and restores the session. */
  async restart(): Promise<void> {
    await this.settled('shutdown', this.session.shutdown())
    await this.#expectDue()
    await this.#restore()
  }

  /** Another process takes the session over, and the owner does not know. */
  async rob(): Promise<void> {
    await this.#lease?.release()
    for (const told of this.told) told.isRobbed = true
    await this.#restore()
  }

  /** Ends the session for good, while `acts` go on beside it. */
  async stop(acts: readonly string[]): Promise<void> {
    const stopped = this.session.stop()
    stopped.catch(() => undefined)
    for (const act of acts) await this.perform(act)
    await this.settled('stop', stopped)
    await this.calls.mailed()
  }

  /** Lets everything come to rest: people answer what is asked until nothing runs and nothing waits. */
  async finish(): Promise<void> {
    await this.calls.mailed()
    this.faults.length = 0
    for (let tries = 0; ; tries += 1) {
      if (tries === 5) throw new Error('the session faults again and again')
      if (this.session.fault !== undefined || this.#isClosed) await this.restart()
      const idle = this.session.waitIdle().catch((error: unknown) => error)
      if ((await this.settled('waitIdle', idle, (turns) => this.#help(turns))) === 'idle') break
    }
    for (const { session } of this.told)
      if (session !== this.session) await this.settled('shutdown', session.shutdown())
    await this.settled('recordings', Promise.all(this.told.slice(0, -1).map(({ events }) => events.ended)))
  }

  /** Shuts the last owner down, and waits until all is told. */
  async end(): Promise<void> {
    await this.settled('shutdown', this.session.shutdown())
    const endings = this.told.flatMap(({ events, live }) => [events.ended, live.ended])
    await this.settled('recordings', Promise.all(endings))
  }

  /** Waits for a promise while time goes by; `meanwhile` runs in every turn. */
  settled<T>(what: string, promise: Promise<T>, meanwhile?: (turns: number) => void): Promise<T> {
    return settle(this.clock, promise, meanwhile, what)
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
      if (tries === 2) this.faults.length = 0
      const restored = await this.settled('restore', this.rig.restoreSession(id).catch(typed))
      if ('submit' in restored) return this.#own(restored)
    }
    throw new Error('the session cannot be restored')
  }

  /** Answers what is asked, and interrupts what goes on and on. */
  #help(turns: number): void {
    if (turns >= 60 && turns % 20 === 0) this.session.interrupt().catch(() => undefined)
    for (const gate of this.session.gates()) {
      this.#answers += 1
      const word = ['deny', 'yes', 'always'][this.#answers % 3]
      this.session.answer(gate.gateId, answerTo(gate, word)).catch(() => undefined)
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
