import { describe, it } from 'vitest'

import { memoryStore } from '../../src/memory.ts'
import { runStoreContract } from '../../src/testing.ts'

runStoreContract(
  { describe, it },
  { name: 'memoryStore', reopens: false, open: (clock) => ({ store: memoryStore({ clock }) }) },
)
