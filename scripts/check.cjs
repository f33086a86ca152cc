'use strict'
// `npm run check`: installs what is missing, then runs every check that CI runs.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('check')
