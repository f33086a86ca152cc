import type { Readable } from 'node:stream'
import type { ProcessEnd, ProcessSignal } from '../../contract/runner.ts'
import { isSystemError } from '../../files/system-error.ts'
import { liveMembers } from './live-members.ts'
import { pause, settlesWithin } from './pause.ts'
import { PipeOutput } from './pipe-output.ts'

/** The process that was started: it leads a group of its own. */
export interface GroupLeader {
  readonly pid: number
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal?: string | undefined }>
  readonly output: Readable
}

/** How a group ended. */
export interface GroupEnd extends ProcessEnd {
  /** How many processes the leader had left behind. */
  readonly leftovers: number
}

const signals: Record<ProcessSignal, NodeJS.Signals> = { interrupt: 'SIGINT', terminate: 'SIGTERM', kill: 'SIGKILL' }

/** What is left behind may end by itself, then by SIGTERM, then by SIGKILL; together under 2 seconds. */
const leftoverMs = { natural: 100, terminated: 300, killed: 1_000 }
/** How often a group that is being ended is looked at. */
const lookMs = 10
/** How many times as long as a look takes there is none. */
const restShare = 4
/** The longest that whoever terminates a group lets it clean up before it is killed. */
const maxGraceMs = 600_000
/** The longest time between two looks at a group that cleans up. */
const maxLookMs = 100
/** How long a killed leader may take; one that waits for a dead disk takes longer. */
const unkillableMs = 2_000

/**
 * A shell and all that it started, as long as that stays in its process group or, on Linux, in its session: the jobs of a
 * shell with job control too. What makes a session of its own (`setsid`, a daemon) cannot be seen or ended from here: only
 * a PID namespace catches it. Nothing is signalled after all were seen to be gone, so no later process of an old number is.
 */
export class ProcessGroup {
  readonly output: PipeOutput
  /** Settles when the leader has ended and the group is empty, or neither comes true; never rejects. */
  readonly end: Promise<GroupEnd>
  readonly #leader: GroupLeader
  #isOver = false
  #hasExited = false
  #isTerminating = false
  #isKilled = false
  #giveUp = () => {}

  constructor(leader: GroupLeader) {
    this.#leader = leader
    this.output = new PipeOutput(leader.output)
    const unkillable = new Promise<GroupEnd>((resolve) => {
      this.#giveUp = () => resolve({ exitCode: null, signal: undefined, isGone: false, leftovers: 0 })
    })
    this.end = Promise.race([this.#awaitEnd(), unkillable]).then((end) => {
      this.#isOver = true
      this.output.finishSoon()
      return end
    })
  }

  /**
   * Whoever sends `terminate` sends `kill` when the grace is over.
   *
   * @throws the system's error when it refuses; a group that is gone is no error.
   */
  signal(signal: ProcessSignal): void {
    if (signal === 'terminate') this.#isTerminating = true
    if (!this.#isOver) this.#send(signals[signal])
  }

  /** Ends the group: SIGTERM, after the grace SIGKILL. Settles with `end`. */
  async stop(graceMs: number): Promise<void> {
    this.#isTerminating = true
    this.#trySend('SIGTERM')
    if (await settlesWithin(this.end, graceMs)) return
    this.#trySend('SIGKILL')
    if (await settlesWithin(this.end, unkillableMs)) return
    this.#giveUp()
    await this.end
  }

  async #awaitEnd(): Promise<GroupEnd> {
    const exit = await this.#leader.exited
    this.#hasExited = true
    const leftovers = await this.#left(leftoverMs.natural)
    // a shell ends at once where its children take their time: they have all of the grace
    if (leftovers > 0 && this.#isTerminating) await this.#cleanUp()
    if (leftovers === 0) return { ...exit, isGone: true, leftovers: 0 }
    this.#trySend('SIGTERM')
    const isGone =
      (await this.#left(leftoverMs.terminated)) === 0 || (await this.#left(leftoverMs.killed, 'SIGKILL')) === 0
    return { ...exit, isGone, leftovers }
  }

  /** How many are left after at most so long; who is there at a look gets the signal, also one that has just begun. */
  async #left(milliseconds: number, signal?: NodeJS.Signals): Promise<number> {
    const until = performance.now() + milliseconds
    for (;;) {
      const start = performance.now()
      const { count } = liveMembers(this.#leader.pid)
      const now = performance.now()
      if (count === 0 || now >= until) return count
      if (signal !== undefined) this.#trySend(signal)
      await pause(Math.max(lookMs, (now - start) * restShare)) // on a host with thousands of processes a look is not free
    }
  }

  /** Waits until nobody is left, or whoever terminates the group kills it. */
  async #cleanUp(): Promise<void> {
    const until = performance.now() + maxGraceMs
    let wait = lookMs
    while (!this.#isKilled && performance.now() < until && liveMembers(this.#leader.pid).count > 0) {
      await pause(wait)
      wait = Math.min(wait * 2, maxLookMs)
    }
  }

  #trySend(signal: NodeJS.Signals): void {
    try {
      if (!this.#isOver) this.#send(signal)
    } catch {
      // a process that runs as somebody else: whether it is gone is looked at afterwards
    }
  }

  #send(signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL') this.#isKilled = true
    const { pid } = this.#leader
    const { groups } = liveMembers(pid)
    const targets = groups.map((group) => -group)
    if (!groups.includes(pid) && !this.#hasExited) targets.push(pid) // it leads no group yet
    const refusals = targets.map((target) => refusalOf(target, signal)).filter((refusal) => refusal !== undefined)
    if (refusals.length > 0) throw new AggregateError(refusals, 'the system refused the signal')
  }
}

/** What the system says against it; that nobody is there is nothing. */
function refusalOf(target: number, signal: NodeJS.Signals): unknown {
  try {
    process.kill(target, signal)
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) return error
  }
  return undefined
}
