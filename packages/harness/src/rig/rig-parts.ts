import type { Store } from '@looprig/store'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { DelegationLimits } from '../delegate/delegation-limits.ts'
import type { HookTable } from '../hook/hook-table.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { ResourceOptions } from '../resource/resource-options.ts'
import type { DriftOptions } from './drift-options.ts'
import type { ManifestAppField } from './manifest.ts'

/** A rig's options, checked and complete. */
export interface RigParts extends DriftOptions {
  readonly name: string
  readonly loops: readonly [LoopDefinition, ...LoopDefinition[]]
  /** The loops that start with a session; the first takes the inputs. */
  readonly primers: readonly [LoopDefinition, ...LoopDefinition[]]
  readonly delegation: DelegationLimits
  readonly store: Store
  readonly workspace: { readonly root: string } | undefined
  readonly resources: ResourceOptions | undefined
  readonly clock: Clock
  readonly ids: IdSource
  readonly appFields: readonly ManifestAppField[]
  readonly hooks: HookTable
  /** How many gates of one session may be open at a time. */
  readonly maxOpenGates: number
  /** How long an approval counts that no process has spent. */
  readonly approvalTtlMs: number
}
