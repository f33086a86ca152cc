import type { LoopId, SessionId } from '@looprig/core'

/** The folder that a session works in. */
export interface WorkspaceBinding {
  /** Absolute and canonical: every link is resolved. */
  readonly root: string
}

/** What a definition may require, by name. */
export interface BindingKinds {
  readonly workspace: WorkspaceBinding
}

/** The name of something that a definition may require. */
export type BindingName = keyof BindingKinds

/** Whose tools are built. Every definition gets it. */
export interface BindingIdentity {
  readonly sessionId: SessionId
  readonly loopId: LoopId
}

/** The bindings that a definition with `requires: R` gets: those, and no other. */
export type BindingsFor<R extends readonly BindingName[]> = BindingIdentity & Pick<BindingKinds, R[number]>

/** What the runtime has to offer. */
export type AvailableBindings = BindingIdentity & { readonly [K in BindingName]?: BindingKinds[K] | undefined }
