import { describe, it } from 'vitest'

import { sqliteStore } from '../../src/sqlite.ts'
import { runStoreContract } from '../../src/testing.ts'
import { tempFolder } from '../support/temp-folder.ts'

runStoreContract(
  { describe, it },
  {
    name: 'sqliteStore',
    reopens: true,
    open(clock) {
      const folder = tempFolder()
      const openAgain = () => sqliteStore({ path: folder.file('sessions.db'), clock })
      return { store: openAgain(), reopen: openAgain, cleanUp: () => folder[Symbol.dispose]() }
    },
  },
)
