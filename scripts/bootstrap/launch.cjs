'use strict'
// Loads the modern half of a command. Apart from the entry files, because an old Node.js cannot parse `import()`.

/** @param {'start' | 'test' | 'check' | 'bench' | 'crash-matrix' | 'decode' | 'encode' | 'explain' | 'pack-check' | 'interop'} command */
module.exports = function launch(command) {
  void import(`./${command}.mjs`)
}
