'use strict'
// Stops with a clear message on a Node.js below the floor. In ES5 syntax, so that such a Node.js can print it.
var fs = require('fs')

var found = /^v(\d+)\.(\d+)/.exec(process.version) || []
var major = Number(found[1])
var minor = Number(found[2])

if (major < 20 || (major === 20 && minor < 19)) {
  fs.writeSync(
    2,
    ['Looprig needs Node.js 20.19 or later; this is', process.version, 'at', process.execPath + '.\n'].join(' ') +
      'Install a current release from https://nodejs.org, open a new terminal and run the same command again.\n'
  )
  process.exit(1)
}
