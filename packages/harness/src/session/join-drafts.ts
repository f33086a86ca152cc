import type { Draft } from './session-log.ts'

/** One draft of several: all their records in one append, then what each changes and tells, in their order. */
export function joinDrafts(...drafts: readonly (Draft | undefined)[]): Draft {
  const parts = drafts.filter((draft) => draft !== undefined)
  let head: NonNullable<Draft['head']> = {}
  for (const draft of parts) head = { ...head, ...draft.head }
  return {
    records: parts.flatMap((draft) => draft.records),
    head,
    apply: () => {
      for (const draft of parts) draft.apply?.()
    },
    delivered: () => {
      for (const draft of parts) draft.delivered?.()
    },
  }
}
