import { readdirSync, readFileSync } from 'node:fs'

/** The pids of processes that run and whose command line holds the mark. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      const isDead = / [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1').replace(/^.*\)/s, ''))
      return !isDead && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

let count = 0

/** A number of seconds for `sleep` that no other test uses: it marks the process. */
export function markedSleep(): string {
  count += 1
  return `3${process.pid}.${count}`
}

/** Looks until it is so, for at most so long; says whether it was. */
export async function becomes(isSo: () => boolean, milliseconds = 15_000): Promise<boolean> {
  const until = performance.now() + milliseconds
  while (!isSo()) {
    if (performance.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}
