import { readdir } from 'node:fs/promises'
import { parseId, type ToolExecutionId, uuidV7 } from '@looprig/core'
import { DefinitionBuildError } from '../../contract/errors.ts'
import type { PreparedProcess, RunningProcess } from '../../contract/runner.ts'
import type { SessionResource, SessionResourceServices } from '../../contract/session-resource.ts'
import type { Permit } from '../../contract/workspace-coordinator.ts'
import { processError } from '../codes.ts'
import { settlesWithin } from '../group/pause.ts'
import { withinPatience } from '../runner/within-patience.ts'
import { newHandle } from './handle.ts'
import { startEvent } from './lifecycle-event.ts'
import type { Manifest, ProcessOwner } from './manifest.ts'
import { ManifestFiles } from './manifest-files.ts'
import { ProcessRecord } from './process-record.ts'
import { Quota, type QuotaShare } from './quota.ts'
import { Retained } from './retained.ts'
import { type ProcessSettings, type ResolvedSettings, resolvedSettings } from './settings.ts'
import { Spool } from './spool.ts'
import { startError } from './start-error.ts'
import { SupervisedProcess } from './supervised-process.ts'
import { WaitingRoom } from './waiting-room.ts'

/** A process that is ready, and what it comes with; all of it is the supervisor's from now on. */
export interface StartRequest {
  readonly owner: ProcessOwner
  readonly executionId: ToolExecutionId
  readonly command: string
  readonly directory: string
  readonly tty: boolean
  /** Nobody waits for it: else its notice is held until the caller says what it has shown. */
  readonly isBackground: boolean
  readonly timeoutMs: number | undefined
  readonly maxOutputBytes: number | undefined
  readonly prepared: PreparedProcess
  readonly permit: Permit
  readonly onActivity: () => void
  /** Ends the start; once this has answered, nothing that the caller does ends the process. */
  readonly signal: AbortSignal
}

/** A process that runs and has a record on disk. */
export interface Started {
  readonly process: SupervisedProcess
  /** Says whether the call that started it has shown its end. */
  readonly releaseNotice: (isSeen: boolean) => void
}

/** How long a journal may take at the start of a process, and at the end of a session. */
const publishMs = 5_000
/** How long a runner may take to start a process. */
const startMs = 30_000
/** The longest grace at the end of a session, which waits half a minute for everything. */
const maxShutdownGraceMs = 10_000
/** After every time that there is. */
const never = Number.MAX_SAFE_INTEGER
/** How often a handle that is taken is drawn again. */
const maxDraws = 8

/**
 * The processes of one session. It starts what is prepared and can prepare nothing itself; every process is written down
 * before it starts, and what an earlier host left running is marked as lost and never signalled.
 */
export class ProcessSupervisor implements SessionResource {
  readonly waitingRoom = new WaitingRoom()
  readonly #directory: string
  readonly #files: ManifestFiles
  readonly #processes = new Map<string, SupervisedProcess>()
  readonly #retained = new Retained()
  readonly #quota = new Quota()
  readonly #starting = new Set<Promise<unknown>>()
  /** What is still to be done for processes that run or have just ended. */
  readonly #telling = new Set<Promise<void>>()
  #said: ProcessSettings | undefined
  #settings: ResolvedSettings = resolvedSettings(undefined)
  #now: () => number = Date.now
  #services: SessionResourceServices | undefined
  #isClosing = false
  #closed: Promise<void> | undefined

  constructor(directory: string) {
    this.#directory = directory
    this.#files = new ManifestFiles(directory)
  }

  /** Says whether a resource is one of ours, and not somebody else's under our key. */
  static isOne(value: unknown): value is ProcessSupervisor {
    return typeof value === 'object' && value !== null && #quota in value
  }

  get settings(): ResolvedSettings {
    return this.#settings
  }

  /**
   * Takes the settings of a definition. One that says none takes what is there.
   *
   * @throws DefinitionBuildError `invalid_definition` when two definitions say different things.
   */
  configure(definition: string, said: ProcessSettings | undefined, now?: () => number): void {
    if (now !== undefined) this.#now = now
    if (said === undefined) return
    const next = resolvedSettings(said)
    const isOther = this.#said !== undefined && JSON.stringify(resolvedSettings(this.#said)) !== JSON.stringify(next)
    if (isOther) throw new DefinitionBuildError('invalid_definition', definition, 'processes')
    this.#said = said
    this.#settings = next
    this.waitingRoom.limit = next.maxWaiting
  }

  async activate(services: SessionResourceServices): Promise<void> {
    this.#services = services
    const { manifests, corrupt } = await this.#files.load()
    const names = await readdir(this.#directory)
    const known = new Set([...manifests.map(({ handle }) => handle), ...corrupt])
    await Spool.removeOthers(this.#directory, names, known)
    const byEnd = manifests.toSorted((one, other) => (one.finishedAt ?? never) - (other.finishedAt ?? never))
    for (const manifest of byEnd) {
      const process = await this.#restore(manifest, names)
      await process.tell(services)
      await this.#retain(process)
    }
  }

  /**
   * Starts a process and gives its record. When it fails, permit, share and preparation are given back, each once.
   *
   * @throws ToolError `supervisor_shutting_down`, `lifetime_enforcement_unavailable`, `process_quota_exceeded`,
   *   `process_setup_failed`, `pty_unavailable` or `spawn_failed`.
   */
  async start(request: StartRequest): Promise<Started> {
    const starting = this.#admit(request)
    this.#starting.add(starting)
    try {
      return await starting
    } finally {
      this.#starting.delete(starting)
    }
  }

  /** A process of this owner. What is another's and what never was are the same: undefined. */
  find(owner: ProcessOwner, handle: string): SupervisedProcess | undefined {
    const process = this.#processes.get(handle)
    return process?.isOwnedBy(owner) === true ? process : undefined
  }

  /** The processes of a loop that run, the oldest first. */
  runningOf(owner: ProcessOwner): readonly SupervisedProcess[] {
    return [...this.#processes.values()].filter((process) => !process.isOver && process.isOwnedBy(owner))
  }

  /** Journals what happens to a process, as well as it can in a few seconds: what the process does never hangs on it. */
  async publish(...[event]: Parameters<SessionResourceServices['publish']>): Promise<void> {
    const services = this.#services
    if (services !== undefined) await settlesWithin((async () => services.publish(event))(), publishMs)
  }

  /** Ends every process; what they printed stays readable. Concurrent callers share the outcome. */
  shutdown(): Promise<void> {
    this.#closed ??= this.#shutDown()
    return this.#closed
  }

  async #shutDown(): Promise<void> {
    this.#isClosing = true
    await settlesWithin(Promise.allSettled(this.#starting), publishMs)
    const running = [...this.#processes.values()].filter(({ isOver }) => !isOver)
    const ends = await Promise.allSettled(
      running.map((process) => process.shutDown(Math.min(this.#settings.graceMs, maxShutdownGraceMs))),
    )
    await settlesWithin(Promise.all(this.#telling), publishMs)
    if (ends.some(({ status }) => status === 'rejected')) throw processError('teardown_failed')
  }

  async #admit(request: StartRequest): Promise<Started> {
    let share: QuotaShare | undefined
    try {
      if (this.#isClosing) throw processError('supervisor_shutting_down')
      if (this.#services === undefined) throw processError('lifetime_enforcement_unavailable')
      const { maxSpoolBytes } = this.#settings
      const spoolBytes = Math.min(request.maxOutputBytes ?? maxSpoolBytes, maxSpoolBytes)
      share = this.#quota.reserve(request.owner.loopId, spoolBytes, this.#settings)
      const record = await this.#writeDown(request)
      const running = await this.#launch(request, record)
      return await this.#takeOver(request, record, running, share, spoolBytes, this.#services)
    } catch (error) {
      share?.release()
      request.permit.release()
      await request.prepared.close().catch(() => undefined)
      throw startError(error, request.signal)
    }
  }

  /** Before it starts, so that no handle is ever without a record. */
  async #writeDown(request: StartRequest): Promise<ProcessRecord> {
    const now = this.#now()
    const manifest: Manifest = {
      version: 1,
      handle: this.#draw(),
      owner: request.owner,
      executionId: request.executionId,
      command: request.command,
      directory: request.directory,
      access: request.prepared.access.kind,
      tty: request.tty,
      state: 'starting',
      createdAt: now,
      ...(request.timeoutMs === undefined ? {} : { deadlineAt: now + request.timeoutMs }),
      totalBytes: 0,
      events: {
        started: uuidV7(),
        backgrounded: uuidV7(),
        completed: uuidV7(),
        lost: uuidV7(),
        notice: parseId('InputId', uuidV7()),
      },
      isPublished: false,
      notice: 'pending',
    }
    await this.#files.save(manifest)
    return new ProcessRecord(this.#files, manifest)
  }

  #draw(): string {
    for (let draw = 0; draw < maxDraws; draw += 1) {
      const handle = newHandle()
      if (!this.#processes.has(handle)) return handle
    }
    throw processError('process_setup_failed')
  }

  async #launch({ prepared, signal }: StartRequest, record: ProcessRecord): Promise<RunningProcess> {
    let starting: Promise<RunningProcess> | undefined
    try {
      signal.throwIfAborted()
      starting = (async () => prepared.start(signal))()
      const running = await withinPatience(starting, { overAfterMs: 0, patienceMs: startMs, signal })
      running.end.catch(() => undefined) // it may end at once, and badly; it is looked at later
      return running
    } catch (error) {
      starting?.then((late) => late.signal('kill')).catch(() => undefined) // a runner that answers after all
      await this.#neverRan(record)
      throw error
    }
  }

  async #takeOver(
    request: StartRequest,
    record: ProcessRecord,
    running: RunningProcess,
    share: QuotaShare,
    spoolBytes: number,
    services: SessionResourceServices,
  ): Promise<Started> {
    const { handle, createdAt } = record.current
    // it runs: a disk that is full by now is no reason to kill it, and a restore finds the record that is there
    await record.happened({ state: 'running', startedAt: Math.max(this.#now(), createdAt) })
    const process = new SupervisedProcess(record, Spool.create(this.#directory, handle, spoolBytes))
    const releaseNotice = request.isBackground ? () => {} : process.holdNotice()
    this.#processes.set(handle, process)
    const { permit, timeoutMs, onActivity } = request
    const { graceMs } = this.#settings
    const startTold = this.publish(startEvent(record.current, request.isBackground))
    process.live({ running, permit, share, timeoutMs, graceMs, onActivity, services, startTold, now: this.#now })
    this.#follow(process.told.then(() => this.#retain(process)))
    await startTold
    return { process, releaseNotice }
  }

  /** It is not told to anybody: the call that wanted it says so. */
  async #neverRan(record: ProcessRecord): Promise<void> {
    const now = Math.max(this.#now(), record.current.createdAt)
    const failed = { state: 'failed', reason: 'failed', finishedAt: now } as const
    await record.happened({ ...failed, isPublished: true, notice: 'not_needed' })
  }

  async #restore(manifest: Manifest, names: readonly string[]): Promise<SupervisedProcess> {
    const isOver = manifest.finishedAt !== undefined
    const total = isOver ? manifest.totalBytes : undefined
    const spool = await Spool.reopen(this.#directory, manifest.handle, names, total).catch(() => undefined)
    const process = new SupervisedProcess(new ProcessRecord(this.#files, manifest), spool)
    if (!isOver) await process.markLost(this.#now())
    this.#processes.set(manifest.handle, process)
    return process
  }

  #follow(telling: Promise<void>): void {
    this.#telling.add(telling)
    void telling.finally(() => this.#telling.delete(telling))
  }

  async #retain(process: SupervisedProcess): Promise<void> {
    const { maxRetained, maxSpoolBytesPerSession } = this.#settings
    for (const evicted of this.#retained.add(process, maxRetained, maxSpoolBytesPerSession)) {
      this.#processes.delete(evicted.handle)
      await evicted.remove()
    }
  }
}
