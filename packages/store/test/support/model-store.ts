/** The semantics of a ledger in a few lines, to compare stores with. Ids say whether a body is another: "id=body". */

/** One step of a random run; numbers choose among what is there. */
export type Step =
  | { readonly type: 'append'; readonly session: string; readonly ids: readonly string[]; readonly stale: number }
  | { readonly type: 'resend'; readonly pick: number }
  | { readonly type: 'take_over'; readonly session: string }

/** What a store is expected to hold and to answer. */
export class Model {
  readonly epochs = new Map<string, number>()
  readonly records = new Map<string, string[]>()

  takeOver(session: string): number {
    const epoch = (this.epochs.get(session) ?? 0) + 1
    this.epochs.set(session, epoch)
    return epoch
  }

  append(session: string, epoch: number, group: readonly string[]): string {
    if (epoch !== this.epochs.get(session)) return 'fenced'
    const log = this.records.get(session) ?? []
    const idOf = (entry: string) => entry.split('=', 1).join()
    const taken = group.filter((entry) => log.some((other) => idOf(other) === idOf(entry)))
    if (taken.length === 0) {
      this.records.set(session, [...log, ...group])
      return `ok ${group.map((_, index) => log.length + 1 + index)}`
    }
    const start = log.indexOf(group[0] ?? '')
    const whole = start >= 0 && group.every((entry, index) => log[start + index] === entry)
    return whole ? `ok ${group.map((_, index) => start + 1 + index)}` : `slot_taken ${taken.map(idOf)}`
  }
}
