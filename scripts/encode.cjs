'use strict'
// `pnpm encode`: sets the clone up where something is stale, then encodes a request in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('encode')
