'use strict'
// `npm test`: sets the clone up where something is stale, then runs vitest in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('test')
