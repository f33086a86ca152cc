import type { LoopId, Usage } from '@looprig/core'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { CompactionCommitted, CompactionRejected } from '../event/context-event.ts'
import type { CompactionSubject } from '../hook/hook-subject.ts'
import type { HookOutcome } from '../hook/hooks.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { History } from '../runtime/history.ts'
import type { Draft } from '../session/session-log.ts'
import type { Boundary } from './boundary.ts'
import type { CompactionCause, CompactionReason, CompactionResult } from './compaction-result.ts'
import type { ContextPolicy } from './context-policy.ts'
import type { Cut } from './cut.ts'
import { type MadeSummary, makeSummary } from './make-summary.ts'

/** One compaction: of what, at which moment, and why. */
export interface CompactionTask {
  readonly loopId: LoopId
  readonly policy: ContextPolicy
  readonly history: History
  readonly clock: Clock
  readonly ids: IdSource
  readonly boundary: Boundary
  readonly reason: CompactionReason
  readonly limitTokens: number | undefined
  /** What it would summarise and keep; nothing when there is nothing to gain. */
  readonly cut: Cut | undefined
}

/**
 * Runs one compaction to its outcome, which is durable when this returns. An interrupted one writes nothing. The commit
 * is made even then: what waited for the end of the compaction joins it.
 */
export async function runCompaction(task: CompactionTask): Promise<CompactionResult> {
  const { boundary, history } = task
  const through = history.lastSeq
  const subject = () => ({ ...boundary.hooks.scope, ...turnOf(boundary), through })
  const end = boundary.hooks.begin('compaction', subject)
  let outcome: HookOutcome = 'failed'
  try {
    const made = await summarise(task, subject)
    const result = await commitOutcome(task, made, through)
    outcome = hookOutcome(result)
    return Object.freeze(result)
  } finally {
    end(outcome)
  }
}

async function summarise(task: CompactionTask, subject: () => CompactionSubject): Promise<MadeSummary> {
  const { boundary, policy, limitTokens, clock, cut } = task
  const { client, model, signal } = boundary
  if (cut === undefined) return { outcome: 'failed', cause: 'unavailable' }
  const refusal = await boundary.hooks.refusal('compaction', subject, signal)
  if (refusal !== undefined) return { outcome: 'failed', cause: 'denied' }
  return makeSummary({ policy, limitTokens, cut, client, model, clock, signal, next: () => boundary.next() })
}

async function commitOutcome(task: CompactionTask, made: MadeSummary, through: number): Promise<CompactionResult> {
  const { boundary, history, loopId, cut } = task
  let result: CompactionResult = { status: 'rejected', loopId, cause: 'interrupted', usage: {} }
  await boundary.commit(() => {
    // what was written meanwhile is no part of the summary
    const isStale = history.lastSeq !== through
    if (made.outcome === 'made' && cut !== undefined && !isStale && !boundary.signal.aborted) {
      const { summary, usage } = made
      const { tailFrom } = cut
      result = { status: 'committed', loopId, through, tailFrom, summary, usage }
      return committedDraft(task, { type: 'CompactionCommitted', ...scopeOf(task), through, tailFrom, summary, usage })
    }
    const cause = causeOf(made, isStale, boundary.signal)
    result = { status: 'rejected', loopId, cause, usage: made.usage ?? {} }
    return cause === 'interrupted' ? undefined : rejectedDraft(task, cause, through, made.usage)
  })
  return result
}

function hookOutcome(result: CompactionResult): HookOutcome {
  if (result.status === 'committed') return 'completed'
  if (result.cause === 'denied' || result.cause === 'interrupted') return result.cause
  return 'failed'
}

function causeOf(made: MadeSummary, isStale: boolean, signal: AbortSignal): CompactionCause | 'interrupted' {
  if (signal.aborted) return 'interrupted'
  if (made.outcome === 'failed') return made.cause
  return isStale ? 'stale' : 'unavailable'
}

function scopeOf({ loopId, reason, boundary }: CompactionTask) {
  return { loopId, ...turnOf(boundary), reason }
}

function turnOf({ turnId }: Boundary) {
  return turnId === undefined ? {} : { turnId }
}

function committedDraft({ history, ids }: CompactionTask, event: CompactionCommitted): Draft {
  const { through, summary, tailFrom } = event
  return { records: [eventDraft(event, ids)], apply: () => history.replace(through, summary, tailFrom) }
}

function rejectedDraft(task: CompactionTask, cause: CompactionCause, through: number, usage: Usage | undefined): Draft {
  const event: CompactionRejected = {
    type: 'CompactionRejected',
    ...scopeOf(task),
    cause,
    through,
    ...(usage === undefined ? {} : { usage }),
  }
  return { records: [eventDraft(event, task.ids)] }
}
