'use strict'
// `pnpm explain`: sets the clone up where something is stale, then judges command lines by rules in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('explain')
