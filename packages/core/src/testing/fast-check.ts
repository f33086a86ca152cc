import type fc from 'fast-check'

/** The library that the caller brings: nothing here loads it, so a door of builders needs none. */
export type FastCheck = typeof fc
