/** `npm start` as a newcomer runs it: an empty home folder, no key, and an answer that cites a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './run-tool.mjs'

const citation = /[\w./-]+\.\w+:\d+/

/**
 * Asks the assistant what the project does.
 *
 * @param {string} root
 * @returns {Promise<string[]>} what went wrong.
 */
export async function checkFirstAnswer(root) {
  const home = mkdtempSync(join(tmpdir(), 'looprig-home-'))
  try {
    const args = ['start', '--', '--print', '"what does this project do?"']
    return await runCommand('npm', args, { cwd: root, env: newcomer(home), shell: true, expect: findCitation })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** @param {string} home */
function newcomer(home) {
  const { PATH, SystemRoot, NODE_EXTRA_CA_CERTS } = process.env
  return { PATH, SystemRoot, NODE_EXTRA_CA_CERTS, HOME: home, USERPROFILE: home }
}

/** @param {string} stdout */
function findCitation(stdout) {
  if (stdout.includes('> looprig@')) return "npm's banner is on stdout"
  return citation.test(stdout) ? undefined : 'the answer cites no file'
}
