import { isLooprigError } from '@looprig/core'
import { SessionFaultedError } from '../error/errors.ts'
import type { Appended, AppendMarks, Journal } from '../journal/journal.ts'
import type { RecordDraft } from '../journal/record-draft.ts'

/**
 * Appends before there is a session that could stop: what the store refused is told in the store's own words.
 *
 * @throws StoreError when nothing was written, SessionFaultedError when that is not certain or the lease is gone.
 */
export async function appendFirst(
  journal: Journal,
  drafts: readonly RecordDraft[],
  marks: AppendMarks,
): Promise<Appended> {
  try {
    return await journal.append(drafts, marks)
  } catch (error) {
    const refused = error instanceof SessionFaultedError && error.reason === 'store_failed'
    throw refused && isLooprigError(error.cause) ? error.cause : error
  }
}
