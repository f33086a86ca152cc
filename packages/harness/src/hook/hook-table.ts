import type { GuardedOperation, HookOperation } from './hook-subject.ts'
import type { Guard, GuardCheck, HookBegin, Hooks, Observer } from './hooks.ts'

/** An observer and its place in the list that it came from. */
export interface PlacedObserver<O extends HookOperation> {
  readonly index: number
  readonly begin: HookBegin<O>
}

/** A guard and its place in the list that it came from. */
export interface PlacedGuard<O extends GuardedOperation> {
  readonly index: number
  readonly check: GuardCheck<O>
}

/** Hooks by operation: what runs them looks up and never searches. */
export interface HookTable extends Hooks {
  /** How long one guard may take. */
  readonly guardTimeoutMs: number
  readonly guards: { readonly [O in GuardedOperation]: readonly PlacedGuard<O>[] }
  readonly around: { readonly [O in HookOperation]: readonly PlacedObserver<O>[] }
}

/** Sorts checked guards and observers; each keeps its place. */
export function hookTable(
  policyRevision: string | undefined,
  guards: readonly (Guard & { readonly index: number })[],
  around: readonly (Observer & { readonly index: number })[],
  guardTimeoutMs = 30_000,
): HookTable {
  return Object.freeze({
    policyRevision,
    guardTimeoutMs,
    guards: Object.freeze({
      turn: guards.filter((guard) => guard.operation === 'turn'),
      inference: guards.filter((guard) => guard.operation === 'inference'),
      compaction: guards.filter((guard) => guard.operation === 'compaction'),
      tool_call: guards.filter((guard) => guard.operation === 'tool_call'),
    }),
    around: Object.freeze({
      turn: around.filter((observer) => observer.operation === 'turn'),
      step: around.filter((observer) => observer.operation === 'step'),
      inference: around.filter((observer) => observer.operation === 'inference'),
      compaction: around.filter((observer) => observer.operation === 'compaction'),
      tool_call: around.filter((observer) => observer.operation === 'tool_call'),
      gate_wait: around.filter((observer) => observer.operation === 'gate_wait'),
      tool_execution: around.filter((observer) => observer.operation === 'tool_execution'),
    }),
  })
}
