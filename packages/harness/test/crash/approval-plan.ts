/** Who answers what, in which order, and which processes are killed meanwhile: one case per seed. */
import type { GateAction } from '../../src/index.ts'

/** What one process does; the first one begins the session and is killed while its gates are open. */
export type ApprovalTask =
  | { readonly does: 'begin'; readonly calls: readonly string[] }
  | {
      readonly does: 'answer'
      /** It restores the session, or leaves its answers for who will. */
      readonly as: 'owner' | 'mailbox'
      readonly answers: readonly PlannedAnswer[]
      /**
       * When it is killed: right before or after its last answer is durable, or before or after the rule of that answer
       * is written. Absent: it goes on to the end of the turn.
       */
      readonly dies?: 'unsaid' | 'said' | 'rule_unsaved' | 'rule_saved'
    }

/** The answer to the gate of one call. */
export interface PlannedAnswer {
  readonly call: string
  readonly action: GateAction
}

/** One process, and the calls whose files change before it starts. */
export interface ApprovalProcess {
  readonly changed: readonly string[]
  readonly task: ApprovalTask
}

/** One session with parallel gates. */
export interface ApprovalCase {
  readonly name: string
  readonly processes: readonly ApprovalProcess[]
  readonly answers: readonly PlannedAnswer[]
  /** The calls whose files changed while no process was there. */
  readonly changed: readonly string[]
}

/** Plans a session of `gates` parallel gates; the same seed always gives the same plan. */
export function planApprovals(gates: number, seed: number): ApprovalCase {
  // with this factor the first three seeds meet every kind of death, answer and change
  const random = seededRandom(seed * 311 + gates)
  const calls = [...'abcde'].slice(0, gates)
  const actions: readonly GateAction[] = ['approve', 'approve', 'deny', 'approve_always']
  const answers = shuffled(calls, random).map((call) => ({ call, action: pick(actions, random) }))
  const changed = calls.filter(() => random() < 0.25)
  const tasks = planTasks(answers, changed, random)
  // of what runs in the last process, each may change before any process but the first
  const changes = changed.map((call) => ({ call, at: 1 + Math.floor(random() * tasks.length) }))
  const processes = [{ does: 'begin', calls } as const, ...tasks].map((task, index) => ({
    task,
    changed: changes.filter(({ at }) => at === index).map(({ call }) => call),
  }))
  return { name: `${gates} gates, seed ${seed}`, processes, answers, changed }
}

function planTasks(
  answers: readonly PlannedAnswer[],
  changed: readonly string[],
  random: () => number,
): readonly ApprovalTask[] {
  const tasks: ApprovalTask[] = []
  let left = answers
  let wasUnsaid = false
  while (left.length > 0) {
    const chunk = left.slice(0, 1 + Math.floor(random() * left.length))
    const as = pick(['owner', 'mailbox'] as const, random)
    const ways = waysToEnd(chunk, { as, isLast: chunk.length === left.length, changed, wasUnsaid })
    const way = pick(ways, random)
    tasks.push({ does: 'answer', as, answers: chunk, ...(way === 'ends' ? {} : { dies: way }) })
    wasUnsaid ||= way === 'unsaid'
    left = left.slice(way === 'unsaid' ? chunk.length - 1 : chunk.length)
    if (left.length === 0 && way !== 'ends') tasks.push({ does: 'answer', as: 'owner', answers: [] })
  }
  return tasks
}

type Way = NonNullable<Extract<ApprovalTask, { readonly does: 'answer' }>['dies']> | 'ends'

function waysToEnd(
  chunk: readonly PlannedAnswer[],
  {
    as,
    isLast,
    changed,
    wasUnsaid,
  }: {
    readonly as: 'owner' | 'mailbox'
    readonly isLast: boolean
    readonly changed: readonly string[]
    readonly wasUnsaid: boolean
  },
): readonly Way[] {
  const unsaid = wasUnsaid ? [] : (['unsaid'] as const)
  if (as === 'mailbox' || !isLast) return [...unsaid, 'said', 'said']
  const last = chunk.at(-1)
  if (last?.action === 'approve_always' && !changed.includes(last.call)) return ['rule_unsaved', 'rule_saved']
  // an owner that takes the last answer starts what may run in the same append: killed then, its outcome is unknown
  return [...unsaid, 'ends']
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

/** Numbers from 0 to less than 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000
  }
}
