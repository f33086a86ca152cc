/** Measures one subject at one work, in this process alone: `measure.mjs SUBJECT WORK MILLISECONDS`. Prints JSON. */
import { delta } from './script.mjs'
import { works } from './works.mjs'

const [subject, workId, milliseconds] = process.argv.slice(2)
const work = works.find(({ id }) => id === workId)
const { prepare } = await import(`./subjects/${subject}.mjs`)
const play = await prepare(work.turn)

const window = Number(milliseconds) * 1_000
const warmUp = await repeat(2 * window)
// a turn that is long enough has warmed itself up
const { turns, cpu, elapsed } = warmUp.turns === 1 && warmUp.cpu > 4 * window ? warmUp : await repeat(window)
const units = turns * work.units
process.stdout.write(JSON.stringify({ cpu: cpu / units, elapsed: elapsed / units }))
process.exit()

/**
 * Plays turns until so much CPU time is used, and at least one. Elapsed time would warm up less on a busy machine. Times
 * are microseconds; CPU time is that of all threads.
 */
async function repeat(atLeast) {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  let turns = 0
  let cpu = 0
  do {
    check(await play())
    turns += 1
    const { user, system } = process.cpuUsage(before)
    cpu = user + system
  } while (cpu < atLeast)
  return { turns, cpu, elapsed: (performance.now() - startedAt) * 1_000 }
}

/** A subject that skips work is not fast. */
function check({ calls, characters }) {
  const { steps, callsPerStep, deltas } = work.turn
  if (calls !== steps * callsPerStep) throw new Error(`${calls} of ${steps * callsPerStep} calls ran`)
  const expected = deltas * delta.length
  if (characters !== expected) throw new Error(`the reader got ${characters} of ${expected} characters`)
}
