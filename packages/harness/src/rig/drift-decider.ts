import type { DriftAssessment } from './drift-change.ts'

/** What becomes of a restore whose rig differs from the recorded one. */
export type DriftDecision =
  | {
      readonly action: 'adopt'
      /** Who decided; recorded, at most 128 bytes. */
      readonly actor?: string | undefined
      /** Why; recorded, at most 1 KiB. */
      readonly message?: string | undefined
    }
  | { readonly action: 'reject' }

/**
 * Decides whether a session goes on with a rig that differs from the recorded one. It is asked only when something
 * differs, before anything is written or built. What it throws, a late answer and one that is no decision reject.
 */
export type RestoreDecider = (
  assessment: DriftAssessment,
  options: {
    /** Aborted when an answer would come too late. */
    readonly signal: AbortSignal
  },
) => DriftDecision | Promise<DriftDecision>

/** Adopts what is `info` only; one `warn` rejects. What a rig without `onDrift` does. */
export const adoptInfo: RestoreDecider = ({ changes }) => decide(changes.every(({ severity }) => severity === 'info'))

/** Adopts whatever differs. */
export const adoptAll: RestoreDecider = () => decide(true)

/** Adopts when nothing differs but these fields, by their exact names; one more change rejects, whatever its severity. */
export function adoptFields(fields: readonly string[]): RestoreDecider {
  const accepted = new Set(fields)
  return ({ changes }) => decide(changes.every(({ field }) => accepted.has(field)))
}

function decide(isAccepted: boolean): DriftDecision {
  return isAccepted ? { action: 'adopt' } : { action: 'reject' }
}
