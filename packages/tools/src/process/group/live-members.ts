import { readdirSync, readFileSync } from 'node:fs'
import { isSystemError } from '../../files/system-error.ts'

/** What still runs of a session that one process leads. */
export interface LiveMembers {
  readonly count: number
  /** The process groups that they are in: a shell with job control gives each of its jobs one. */
  readonly groups: readonly number[]
}

const nobody: LiveMembers = Object.freeze({ count: 0, groups: [] })

/**
 * The processes of a leader's session and group that still run. On Linux those that have ended and that nobody has asked
 * about do not count: in a container without an init they stay for ever. Elsewhere, and where `/proc` is not to be had, only the
 * leader's own group is known.
 *
 * It reads `/proc` at once, a millisecond for a hundred processes; it is asked only while a session is signalled or ended.
 */
export function liveMembers(leader: number): LiveMembers {
  const pids = allProcesses()
  if (pids === undefined) return hasGroup(leader) ? { count: 1, groups: [leader] } : nobody
  const groups = new Set<number>()
  let count = 0
  for (const pid of pids) {
    const group = groupIn(pid, leader)
    if (group === undefined) continue
    groups.add(group)
    count += 1
  }
  return { count, groups: [...groups] }
}

/** Undefined where they cannot be told: a system without `/proc`, or one that does not even show this process. */
function allProcesses(): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const names = readdirSync('/proc')
    return names.includes(String(process.pid)) ? names.filter((name) => /^\d+$/.test(name)) : undefined
  } catch {
    return undefined
  }
}

function hasGroup(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return !isSystemError(error, 'ESRCH')
  }
}

/** The group of a process that runs and is of the leader's session or group. */
function groupIn(pid: string, leader: number): number | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined // it has ended meanwhile
  }
  // the name stands in parentheses and may hold anything
  const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isOurs = Number(group) === leader || Number(session) === leader
  return isOurs && state !== 'Z' && state !== 'X' ? Number(group) : undefined
}
