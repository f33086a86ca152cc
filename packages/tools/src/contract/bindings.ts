import type { LoopId, SessionId } from '@looprig/core'
import type { FileObservations } from './file-observations.ts'
import type { SessionResources } from './session-resource.ts'
import type { WorkspaceCoordinator } from './workspace-coordinator.ts'

/** The folder that a session works in. */
export interface WorkspaceBinding {
  /** Absolute and canonical: every link is resolved. */
  readonly root: string
  /** Shared by all loops of the session. */
  readonly coordinator: WorkspaceCoordinator
  /** Of this loop, in all its modes. */
  readonly observations: FileObservations
}

/** What lets tools run processes that outlive their call. */
export interface ProcessesBinding {
  readonly resources: SessionResources
}

/** What a definition may require, by name. */
export interface BindingKinds {
  readonly workspace: WorkspaceBinding
  readonly processes: ProcessesBinding
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

/** A workspace as it is offered: what is left out is made anew for the one build. */
export interface OfferedWorkspace {
  readonly root: string
  readonly coordinator?: WorkspaceCoordinator | undefined
  readonly observations?: FileObservations | undefined
}

/** What the runtime has to offer. */
export interface AvailableBindings extends BindingIdentity {
  readonly workspace?: OfferedWorkspace | undefined
  readonly processes?: ProcessesBinding | undefined
}
