import type { Draft } from './session-log.ts'

/** One draft of several: all their records in one append, then what each changes and tells, in their order. */
export function joinDrafts(...drafts: readonly (Draft | undefined)[]): Draft {
  const parts = drafts.filter((draft) => draft !== undefined)
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  let head: NonNullable<Draft['head']> = {}
  let wakeAt: Draft['wakeAt']
  let ifTaken: Draft['ifTaken']
  for (const draft of parts) {
    head = { ...head, ...draft.head }
    wakeAt = draft.wakeAt === undefined ? wakeAt : draft.wakeAt
    ifTaken ??= draft.ifTaken
  }
  return {
    records: parts.flatMap((draft) => draft.records),
    head,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(ifTaken === undefined ? {} : { ifTaken }),
    apply: (stored) => {
      let from = 0
      for (const { records, apply } of parts) {
        apply?.(stored.slice(from, from + records.length))
        from += records.length
      }
    },
    delivered: () => {
      for (const draft of parts) draft.delivered?.()
    },
  }
}
