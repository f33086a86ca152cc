'use strict'
// `pnpm pack-check`: packs the packages, installs them outside of the clone, and uses them there.
require('./bootstrap/require-node.cjs')
require('./bootstrap/launch.cjs')('pack-check')
