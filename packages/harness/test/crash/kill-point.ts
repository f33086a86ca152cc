/** Where processes are killed. */
import type { Kill } from './crash-child.ts'

/** Kills in a row: the first process makes the session, each further one restores what the one before left. */
export type KillPoint = readonly [Kill, ...Kill[]]

/** The appends of the whole session. */
export const appends = 26

/** After every append, and before those that follow an effect: before others all is as after the one before. */
const sampled: readonly Kill[] = [
  ...Array.from({ length: appends }, (_, index): Kill => ({ append: index + 1, when: 'after' })),
  ...[1, 6, 12, 13, 18, 25].map((append): Kill => ({ append, when: 'before' })),
]

/** Where the first process is killed: in the sample, or at every point there is. */
export function firstKills(all: boolean): readonly Kill[] {
  if (!all) return sampled
  return Array.from({ length: appends }, (_, index) => killsAt(index + 1)).flat()
}

/**
 * Where the process that restores is killed, in order: its repair, then what it goes on with. Two of them in the
 * sample; else all up to its last append, which only a run finds: it ends by itself at the kill after that.
 */
export function* secondKills(first: Kill, all: boolean): Generator<Kill, void, undefined> {
  if (all && isSampled(first)) for (let append = 1; append <= maxAppends; append += 1) yield* killsAt(append)
  if (!all && first.append === 13 && first.when === 'after') {
    yield { append: 1, when: 'after' }
    yield { append: 4, when: 'before' }
  }
}

/** A name for messages. */
export function nameOfPoint(point: KillPoint): string {
  return point.map(({ append, when }) => `${when} append ${append}`).join(', then ')
}

/** Far more than any run has, so that a run that never ends by itself is seen. */
const maxAppends = 100

const killsAt = (append: number): readonly Kill[] => [
  { append, when: 'before' },
  { append, when: 'after' },
]

/** The other kills leave what the kill after the append before left. Before the first append nothing can be restored. */
function isSampled({ append, when }: Kill): boolean {
  return when === 'after' || (append > 1 && sampled.some((kill) => kill.append === append && kill.when === when))
}
