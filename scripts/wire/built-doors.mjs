/** The doors as they are built: what `scripts` may load, since Node.js reads no TypeScript everywhere. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../bootstrap/set-up.mjs'

/** @type {import('./codecs.mjs').Doors} */
export const builtDoors = {
  anthropic: () => door('inference', 'anthropic'),
  openai: () => door('inference', 'openai'),
  openaiResponses: () => door('inference', 'openai-responses'),
  gemini: () => door('inference', 'gemini'),
  bedrock: () => door('inference', 'bedrock'),
  testing: () => door('inference', 'testing'),
  core: () => door('core', 'index'),
}

/**
 * @param {string} owner
 * @param {string} name
 */
function door(owner, name) {
  return import(pathToFileURL(join(root, 'packages', owner, 'dist', `${name}.js`)).href)
}
