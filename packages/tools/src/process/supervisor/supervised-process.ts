import type { ProcessEnd, ProcessSignal, RunningProcess } from '../../contract/runner.ts'
import type { ProcessState, SessionResourceServices } from '../../contract/session-resource.ts'
import type { Permit } from '../../contract/workspace-coordinator.ts'
import { processError } from '../codes.ts'
import { settlesWithin } from '../group/pause.ts'
import { endState } from './end-state.ts'
import { endEvent, endNotice } from './lifecycle-event.ts'
import { isFinal, type Manifest, type ProcessOwner } from './manifest.ts'
import { NoticeHolds } from './notice-holds.ts'
import type { ProcessRecord } from './process-record.ts'
import type { QuotaShare } from './quota.ts'
import type { Spool, SpoolWindow } from './spool.ts'
import { WakeSignal } from './wake-signal.ts'

/** What a running process holds, and gives back when it has ended. */
export interface Life {
  readonly running: RunningProcess
  readonly permit: Permit
  readonly share: QuotaShare
  readonly timeoutMs: number | undefined
  readonly graceMs: number
  /** Called at everything that it may have written files by: output, and its end. */
  readonly onActivity: () => void
  readonly services: SessionResourceServices
  /** Settles when its start was told: its end comes after. */
  readonly startTold: Promise<void>
  readonly now: () => number
}

/** How long a killed process may take to be gone, in milliseconds. */
const killedMs = 5_000

/** How long what is left of the output may take to be written down. */
const restMs = 30_000

const strength: Record<ProcessSignal, number> = { interrupt: 1, terminate: 2, kill: 3 }

/** One process of a session: one that runs, or what is left of one. */
export class SupervisedProcess {
  readonly news = new WakeSignal()
  readonly #record: ProcessRecord
  readonly #spool: Spool | undefined
  readonly #holds = new NoticeHolds()
  #life: Life | undefined
  #ended: Promise<void> = Promise.resolve()
  #told: Promise<void> = Promise.resolve()
  #sent: ProcessSignal | undefined
  #hasTimedOut = false
  #isShuttingDown = false
  #isRead = false
  #lastInput: Promise<unknown> = Promise.resolve()

  /** @param spool - undefined when what was kept of the output cannot be trusted. */
  constructor(record: ProcessRecord, spool: Spool | undefined) {
    this.#record = record
    this.#spool = spool
  }

  get handle(): string {
    return this.#record.current.handle
  }

  get manifest(): Manifest {
    return this.#record.current
  }

  get state(): ProcessState {
    return this.#record.current.state
  }

  get isOver(): boolean {
    return isFinal(this.state)
  }

  /** Its end is known, and could not be kept. */
  get isUnsaved(): boolean {
    return !this.#record.isDurable
  }

  get totalBytes(): number {
    return this.#spool?.totalBytes ?? this.#record.current.totalBytes
  }

  get storedBytes(): number {
    return this.#spool?.storedBytes ?? 0
  }

  /** The process itself, while it runs. */
  get running(): RunningProcess | undefined {
    return this.isOver ? undefined : this.#life?.running
  }

  /** Settles when its end was told, or cannot be told now. */
  get told(): Promise<void> {
    return this.#told
  }

  isOwnedBy({ sessionId, loopId }: ProcessOwner): boolean {
    const { owner } = this.#record.current
    return owner.sessionId === sessionId && owner.loopId === loopId
  }

  /** @throws ToolError `cursor_ahead` or `spool_corrupt` */
  async read(cursor: number, maxBytes: number): Promise<SpoolWindow> {
    if (this.#spool === undefined) throw processError('spool_corrupt')
    return this.#spool.read(cursor, maxBytes)
  }

  /** A call waits that may show the end; see `NoticeHolds`. */
  holdNotice(): (isSeen: boolean) => void {
    return this.#holds.hold()
  }

  /** Reads and waits until the process has ended, from now on by itself. */
  live(life: Life): void {
    this.#life = life
    this.#ended = this.#run(life)
    this.#told = Promise.all([this.#ended, life.startTold]).then(() => this.tell(life.services))
  }

  /** One change of its input at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastInput.then(work)
    this.#lastInput = done.catch(() => undefined)
    return done
  }

  /**
   * Sends a signal and waits for the end: `terminate` kills after the grace, `interrupt` never does.
   *
   * @param signal - ends the wait, not the stop.
   * @throws ToolError `teardown_failed` when it cannot be signalled, or is there after it was killed.
   */
  async stop(kind: ProcessSignal, graceMs: number, signal: AbortSignal): Promise<void> {
    if (this.isOver) return
    this.#send(kind)
    const stopping = this.#seeThrough(kind, graceMs)
    stopping.catch(() => undefined)
    const over = new AbortController()
    await Promise.race([stopping, WakeSignal.next([], AbortSignal.any([signal, over.signal]))]).finally(() =>
      over.abort(),
    )
  }

  /** The session ends, and the process with it; whoever is told later is told then. */
  async shutDown(graceMs: number): Promise<void> {
    this.#isShuttingDown = true
    if (this.isOver) return
    this.#send('terminate')
    await this.#seeThrough('terminate', graceMs)
  }

  async remove(): Promise<void> {
    await this.#spool?.remove().catch(() => undefined)
    await this.#record.remove().catch(() => undefined)
  }

  /** What an earlier host left running is lost: nobody knows what became of it, and nobody may signal it. */
  async markLost(now: number): Promise<void> {
    const lost = { state: 'lost_on_restore', reason: 'lost_on_restore' } as const
    const finishedAt = Math.max(now, this.manifest.startedAt ?? this.manifest.createdAt)
    await this.#record.happened({ ...lost, finishedAt, totalBytes: this.totalBytes })
  }

  /** Tells of the end what was not told: the journal, then the model. What fails now is told after the next restore. */
  async tell(services: SessionResourceServices): Promise<void> {
    if (!this.#record.isDurable) return
    const told: { isPublished?: true; notice?: Manifest['notice'] } = {}
    try {
      await this.#tellNow(services, told)
    } catch {
      // the ids are kept: telling it again is the same event and the same input
    }
    if (Object.keys(told).length > 0) await this.#record.update(told).catch(() => undefined)
  }

  async #tellNow(
    services: SessionResourceServices,
    told: { isPublished?: true; notice?: Manifest['notice'] },
  ): Promise<void> {
    const { isPublished, notice, events, owner } = this.manifest
    if (!isPublished) {
      await services.publish(endEvent(this.manifest))
      told.isPublished = true
    }
    if (notice !== 'pending') return
    const isSeen = await this.#holds.settled()
    if (this.#isShuttingDown) return // whoever saw it may be gone with the session
    if (!isSeen) {
      await services.notify({ inputId: events.notice, loopId: owner.loopId, text: endNotice(this.manifest) })
    }
    told.notice = isSeen ? 'not_needed' : 'sent'
  }

  async #run(life: Life): Promise<void> {
    const { running, timeoutMs } = life
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#timeOut(life), timeoutMs)
    const end = await this.#drain(running)
    clearTimeout(timer)
    await this.#spool?.finish()
    const facts = { end, hasTimedOut: this.#hasTimedOut, isShuttingDown: this.#isShuttingDown, sent: this.#sent }
    const finishedAt = Math.max(life.now(), this.manifest.startedAt ?? 0)
    life.onActivity()
    await this.#record.happened({ ...endState(facts), finishedAt, totalBytes: this.totalBytes })
    life.share.release()
    life.permit.release()
    this.news.wake()
  }

  /** Undefined: the runner broke, and what may still run is killed as far as it lets us. */
  async #drain(running: RunningProcess): Promise<ProcessEnd | undefined> {
    const end = running.end.catch(() => undefined)
    const reading = this.#read(running)
    try {
      await Promise.race([reading, end.then(() => settlesWithin(reading, restMs))])
    } catch {
      this.#trySend('kill')
      await settlesWithin(end, killedMs)
      return undefined
    } finally {
      this.#isRead = true
    }
    return end
  }

  async #read({ output }: RunningProcess): Promise<void> {
    for await (const chunk of output) {
      if (this.#isRead) return
      await this.#spool?.append(chunk)
      this.#life?.onActivity()
      this.news.wake()
    }
  }

  #timeOut({ graceMs }: Life): void {
    if (this.isOver) return
    this.#hasTimedOut = true
    this.#trySend('terminate')
    this.#seeThrough('terminate', graceMs).catch(() => undefined)
  }

  /** After the first signal, whoever still waits: what does not end in its time is killed, but for an interrupt. */
  async #seeThrough(kind: ProcessSignal, graceMs: number): Promise<void> {
    if (kind !== 'kill') {
      if ((await this.#endsWithin(graceMs)) || kind === 'interrupt') return
      this.#send('kill')
    }
    if (!(await this.#endsWithin(killedMs))) throw processError('teardown_failed')
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), milliseconds)
    while (!this.isOver && !limit.signal.aborted) await WakeSignal.next([this.news], limit.signal)
    clearTimeout(timer)
    return this.isOver
  }

  #send(kind: ProcessSignal): void {
    if (strength[kind] > (this.#sent === undefined ? 0 : strength[this.#sent])) this.#sent = kind
    try {
      this.#life?.running.signal(kind)
    } catch (cause) {
      throw processError('teardown_failed', undefined, cause)
    }
  }

  #trySend(kind: ProcessSignal): void {
    try {
      this.#send(kind)
    } catch {
      // the runner is broken already
    }
  }
}
