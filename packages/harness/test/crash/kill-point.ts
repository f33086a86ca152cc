/** Where processes are killed. */
import type { ChildRun, Kill } from './crash-child.ts'

/** Kills in a row: the first process makes the session, each further one restores what the one before left. */
export type KillPoint = readonly [Kill, ...Kill[]]

/** Where the first process is killed, and where the ones that restore what it left. */
export interface KillPlan {
  readonly first: readonly Kill[]
  /** In order; it ends at the first kill that a process does not reach. */
  second(first: Kill): Iterable<Kill>
}

/**
 * Kills at every append of both processes, before and after. A kill before an append that follows no effect leaves what
 * the kill after the append before left: what restores that is killed once.
 */
export function everyKill({ appends, afterEffects }: ChildRun): KillPlan {
  const leavesMore = ({ append, when }: Kill) => when === 'after' || afterEffects.includes(append)
  const first = numbers(appends).flatMap(killsAt)
  return { first, second: (kill) => (leavesMore(kill) ? numbers(maxAppends).flatMap(killsAt) : []) }
}

/** A sample: after every third append, before those that follow an effect, and a few kills of the second process. */
export function someKills({ appends, afterEffects }: ChildRun): KillPlan {
  const after = numbers(appends).filter((append) => append % 3 === 1)
  const again = after.filter((_, index) => index % 6 === 4)
  const first: readonly Kill[] = [
    ...after.map((append): Kill => ({ append, when: 'after' })),
    ...afterEffects.map((append): Kill => ({ append, when: 'before' })),
  ]
  const second: readonly Kill[] = [
    { append: 1, when: 'after' },
    { append: 4, when: 'before' },
  ]
  return { first, second: ({ append, when }) => (when === 'after' && again.includes(append) ? second : []) }
}

/** A name for messages. */
export function nameOfPoint(point: KillPoint): string {
  return point.map(({ append, when }) => `${when} append ${append}`).join(', then ')
}

/** Far more than any run has, so that a run that never ends by itself is seen. */
const maxAppends = 200

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

function killsAt(append: number): readonly Kill[] {
  return [
    { append, when: 'before' },
    { append, when: 'after' },
  ]
}
