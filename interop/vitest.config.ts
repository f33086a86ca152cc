import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const conditions = ['looprig-source']

/** A run of its own: nothing of it belongs to `npm test`, which installs no SDK. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
})
