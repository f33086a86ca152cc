'use strict'
// `pnpm decode`: sets the clone up where something is stale, then decodes recorded responses in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('decode')
