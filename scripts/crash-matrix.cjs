'use strict'
// `pnpm crash-matrix`: installs what is missing, then kills a session around every append that it has.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('crash-matrix')
