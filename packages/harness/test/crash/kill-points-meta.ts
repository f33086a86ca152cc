declare module 'vitest' {
  interface TaskMeta {
    /** What the crash matrix counts: all points that a test looked at, and those at which it failed. */
    killPoints?: { readonly all: readonly string[]; readonly failed: readonly string[] }
  }
}

export {}
