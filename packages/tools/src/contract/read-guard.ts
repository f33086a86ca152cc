/** What an application lets read tools read. One instance serves all of them. */
export interface ReadGuard {
  /**
   * Says whether a file may not be read, listed or named. Purely lexical.
   *
   * @param canonicalPath - absolute, clean, with every link resolved, separators of the system.
   */
  deniedRead(canonicalPath: string): boolean
  /** The most bytes that one read returns. */
  readonly maxReadBytes: number
}
