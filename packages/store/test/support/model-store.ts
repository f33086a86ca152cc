/** The semantics of a ledger in a few lines, to compare stores with. Ids say whether a body is another: "id=body". */

/** One step of a random run; numbers choose among what is there. */
export type Step =
  | {
      readonly type: 'append'
      readonly session: string
      readonly ids: readonly string[]
      /** What is added to the present epoch; an outsider gives no epoch. */
      readonly stale: number | 'outsider'
      readonly wakeAt: number | null | undefined
      /** How many of the latest records the writer has not seen. */
      readonly unseen: number | undefined
    }
  | { readonly type: 'resend'; readonly pick: number }
  | { readonly type: 'take_over'; readonly session: string }

/** One append of a run. */
export interface Sent {
  readonly session: string
  readonly epoch: number | undefined
  readonly ids: readonly string[]
  readonly wakeAt: number | null | undefined
  readonly seen: number | undefined
}

/** What a store is expected to hold and to answer. */
export class Model {
  readonly epochs = new Map<string, number>()
  readonly records = new Map<string, string[]>()
  readonly wakes = new Map<string, number>()

  takeOver(session: string): number {
    const epoch = (this.epochs.get(session) ?? 0) + 1
    this.epochs.set(session, epoch)
    return epoch
  }

  tip(session: string): number {
    return this.records.get(session)?.length ?? 0
  }

  append(sent: Sent, at: number): string {
    const { session, epoch, ids: group } = sent
    const log = this.records.get(session) ?? []
    if (epoch === undefined ? log.length === 0 : epoch !== this.epochs.get(session)) return 'fenced'
    const idOf = (entry: string) => entry.split('=', 1).join()
    const taken = group.filter((entry) => log.some((other) => idOf(other) === idOf(entry)))
    if (taken.length === 0) {
      this.#wake(sent, at)
      this.records.set(session, [...log, ...group])
      return `ok ${group.map((_, index) => log.length + 1 + index)}`
    }
    const start = log.indexOf(group[0] ?? '')
    const whole = start >= 0 && group.every((entry, index) => log[start + index] === entry)
    return whole ? `ok ${group.map((_, index) => start + 1 + index)}` : `slot_taken ${taken.map(idOf)}`
  }

  #wake({ session, epoch, wakeAt, seen }: Sent, at: number): void {
    const present = this.wakes.get(session) ?? Number.POSITIVE_INFINITY
    const unseen = seen !== undefined && seen < this.tip(session)
    let next = wakeAt === null ? Number.POSITIVE_INFINITY : (wakeAt ?? present)
    if (unseen || (epoch === undefined && wakeAt === undefined)) next = Math.min(next, present)
    if (epoch === undefined && wakeAt === undefined) next = Math.min(next, at)
    if (next === Number.POSITIVE_INFINITY) this.wakes.delete(session)
    else this.wakes.set(session, next)
  }
}
