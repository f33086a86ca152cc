import { assertNever } from '@looprig/core'
import type { AppendOutcome, AppendRequest, Ledger } from '@looprig/store'
import { type Clock, sleep } from '../clock/clock.ts'
import { SessionFaultedError } from '../error/errors.ts'

/** How long a group whose fate is unknown is sent again before its writer gives up. */
const unknownTimeoutMs = 10_000
const firstResendMs = 25

/** What became of a group for certain. */
export type DefiniteOutcome = Exclude<AppendOutcome, { readonly outcome: 'unknown' }>

/**
 * Appends one group whole or not at all, and returns when its fate is certain: while the store cannot say, only the
 * same group is sent again, since the first try may still commit.
 *
 * @param checkMayWrite - throws when the writer has lost its right; asked before each try.
 * @throws SessionFaultedError `outcome_unknown`, `store_failed` (`cause` is the store's refusal), or what
 *   `checkMayWrite` throws.
 */
export async function appendGroup(
  ledger: Ledger,
  request: AppendRequest,
  clock: Clock,
  checkMayWrite: () => void = () => undefined,
): Promise<DefiniteOutcome> {
  const deadline = clock.now() + unknownTimeoutMs
  let sleptMs = 0
  for (let delayMs = firstResendMs; ; delayMs = Math.min(delayMs * 2, 1_000)) {
    checkMayWrite()
    let answer: AppendOutcome
    try {
      answer = await ledger.append(request)
    } catch (cause) {
      // a refusal says nothing of an earlier try
      throw new SessionFaultedError(delayMs === firstResendMs ? 'store_failed' : 'outcome_unknown', { cause })
    }
    switch (answer.outcome) {
      case 'ok':
      case 'slot_taken':
      case 'fenced':
        return answer
      case 'unknown':
        // a clock that is set back makes no wait longer
        if (sleptMs >= unknownTimeoutMs || clock.now() >= deadline)
          throw new SessionFaultedError('outcome_unknown', { cause: answer.cause })
        await sleep(clock, delayMs)
        sleptMs += delayMs
        break
      default:
        assertNever(answer, 'append outcome')
    }
  }
}
