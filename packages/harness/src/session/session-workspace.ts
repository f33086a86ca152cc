import type { WorkspaceBinding } from '@looprig/tools'

/** The workspace of an open session: its folder, and what keeps the writers of all its loops apart. */
export type SessionWorkspace = Omit<WorkspaceBinding, 'observations'>
