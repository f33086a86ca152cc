/**
 * The right to write one session, held by one owner at a time. To acquire it adds one to the session's epoch, which
 * fences every earlier owner's appends.
 */
export interface Lease {
  readonly session: string
  readonly epoch: number
  /** Aborted when the lease is known to be lost; never on a store whose lock is a kernel lock. */
  readonly lost: AbortSignal
  /** Gives the lease up; safe to call again. */
  release(): Promise<void>
}

/** Hands out leases. */
export interface Leases {
  /**
   * Takes a session's lease and makes the session when it is not there.
   *
   * @throws StoreError `lease_held` when a live owner has it; after a short wait, within a limit.
   */
  acquire(session: string): Promise<Lease>
  /** Says whether a live owner holds it just now. Takes nothing. */
  isHeld(session: string): Promise<boolean>
}
