/** How often a step with one call is written: appends to the journal, and syncs to disk where `strace` can count them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The difference of the two is that of so many steps. */
const [few, many] = [10, 30]

const program = fileURLToPath(new URL('append-counter.mjs', import.meta.url))

/** @param {string} kind */
export async function probe(kind) {
  const [least, most] = [await countTurn(kind, few), await countTurn(kind, many)]
  const perStep = (figure) => (most[figure] - least[figure]) / (many - few)
  return [perStep('appends'), most.syncs === undefined ? undefined : perStep('syncs')]
}

async function countTurn(kind, steps) {
  const folder = mkdtempSync(join(tmpdir(), 'looprig-appends-'))
  const log = join(folder, 'syncs')
  const turn = [program, kind, String(steps)]
  try {
    const trace = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', log]
    const { stdout } = await promisify(execFile)('strace', [...trace, process.execPath, ...turn])
    return { appends: Number(stdout), syncs: readFileSync(log, 'utf8').match(/sync\(/g)?.length ?? 0 }
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    const { stdout } = await promisify(execFile)(process.execPath, turn)
    return { appends: Number(stdout), syncs: undefined }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
