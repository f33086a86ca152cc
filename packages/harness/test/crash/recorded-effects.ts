/** The effects of calls, in a file of the crash folder: they stay when their process is killed. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Notes that a call has its effect. */
export function recordEffect(folder: string, executionId: string): void {
  appendFileSync(join(folder, 'effects'), `${executionId}\n`)
}

/** How often each call had its effect, over all processes. */
export function readEffects(folder: string): ReadonlyMap<string, number> {
  const file = join(folder, 'effects')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return new Map(lines.map((line) => [line, lines.filter((other) => other === line).length]))
}
