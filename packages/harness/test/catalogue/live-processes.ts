import { readdirSync, readFileSync } from 'node:fs'

/** The pids of processes that run and whose command line holds the mark. Linux only. */
export function liveProcesses(mark: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      const isDead = / [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1').replace(/^.*\)/s, ''))
      return !isDead && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark) ? [Number(name)] : []
    } catch {
      return [] // it has ended meanwhile
    }
  })
}
