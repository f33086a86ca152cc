'use strict'
// `pnpm bench`: sets the clone and `bench/` up where something is stale, then measures in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('bench')
