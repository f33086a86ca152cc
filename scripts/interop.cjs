'use strict'
// `npm run interop`: sets the clone and `interop/` up where something is stale, then runs its tests in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('interop')
