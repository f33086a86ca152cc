import type { Store } from '@looprig/store'
import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'

/** A rig's options, checked and complete. */
export interface RigParts {
  readonly name: string
  readonly loops: readonly [LoopDefinition, ...LoopDefinition[]]
  readonly store: Store
  readonly workspace: { readonly root: string } | undefined
  readonly clock: Clock
  readonly ids: IdSource
}
