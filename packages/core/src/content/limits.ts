/** The most blocks that one message or result may hold. */
export const maxBlocks = 10_000

/** The largest block, in characters of its JSON. */
export const maxBlockCharacters = 8 * 1024 * 1024

/** How deep tool results may lie in each other: nobody nests them, and a reader must not run out of stack. */
export const maxResultNesting = 16
