import { assertNever } from '@looprig/core'
import { type AppendOutcome, type AppendRequest, type Ledger, type Store, StoreError } from '@looprig/store'

/**
 * What goes wrong with one append.
 *
 * - `refused`: nothing is written, a `StoreError` is thrown; by default `io`.
 * - `unknown`: the answer is `unknown`; `written` says whether the group was.
 * - `unanswered`: the group is written and the call never settles.
 * - `hooked`: `before` runs before the group is written, `after` once it is; both are waited for, so they may delay
 *   the append or its answer, or end the process.
 */
export type AppendFault =
  | { readonly kind: 'refused'; readonly error?: StoreError | undefined }
  | { readonly kind: 'unknown'; readonly written: boolean }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'hooked'; readonly before?: AppendHook | undefined; readonly after?: AppendHook | undefined }

/** Runs beside an append. */
export type AppendHook = () => void | Promise<void>

/**
 * Decides on each append of the store. `number` counts all calls from 1: the first append of a new session is its
 * creation, and a group that is sent again counts again. `undefined` lets it through.
 */
export type FaultPlan = (number: number, request: AppendRequest) => AppendFault | undefined

/** A store whose appends go wrong by plan. */
export interface FaultyStore extends Store {
  /** Every append that was asked for, in order. */
  readonly appends: readonly AppendRequest[]
}

/** Wraps a store; everything but `append` goes through as it is. `close` closes the wrapped store. */
export function faultyStore(store: Store, plan: FaultPlan): FaultyStore {
  const appends: AppendRequest[] = []
  const { ledger } = store
  const faulty: Ledger = {
    append: (request) => {
      appends.push(request)
      return appendWith(ledger, request, plan(appends.length, request))
    },
    read: (request) => ledger.read(request),
    find: (session) => ledger.find(session),
    list: () => ledger.list(),
    now: () => ledger.now(),
    watch: (request) => ledger.watch(request),
  }
  return { ledger: faulty, leases: store.leases, close: () => store.close(), appends }
}

/** Plans one fault, for append `number`. */
export function faultAt(number: number, fault: AppendFault): FaultPlan {
  return (current) => (current === number ? fault : undefined)
}

/** Plans the same fault for append `number` and all that follow. */
export function faultFrom(number: number, fault: AppendFault): FaultPlan {
  return (current) => (current >= number ? fault : undefined)
}

async function appendWith(
  ledger: Ledger,
  request: AppendRequest,
  fault: AppendFault | undefined,
): Promise<AppendOutcome> {
  if (fault === undefined) return ledger.append(request)
  switch (fault.kind) {
    case 'refused':
      throw fault.error ?? new StoreError('io', 'the append was refused by plan')
    case 'unknown':
      if (fault.written) await ledger.append(request)
      return { outcome: 'unknown', cause: new Error('the answer was lost by plan') }
    case 'unanswered':
      await ledger.append(request)
      return new Promise(() => undefined)
    case 'hooked': {
      await fault.before?.()
      const outcome = await ledger.append(request)
      await fault.after?.()
      return outcome
    }
    default:
      return assertNever(fault, 'append fault')
  }
}
