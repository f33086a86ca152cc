'use strict'
// `npm start`: sets the clone up where something is stale, then runs the assistant in this process.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('start')
