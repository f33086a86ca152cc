/**
 * Measures one subject at one work, in this process alone: `measure.mjs SUBJECT WORK MILLISECONDS SCALE`. Prints JSON. A
 * scale of 10 makes what is large a tenth as large.
 */
import { delta, rawInputPieces } from './script.mjs'
import { warmUpWindows } from './warm-up.mjs'
import { scaled, works } from './works.mjs'

const [subject, workId, milliseconds, scale = '1'] = process.argv.slice(2)
const work = scaled(
  works.find(({ id }) => id === workId),
  Number(scale),
)
const { prepare } = await import(`./subjects/${subject}.mjs`)
const play = await prepare(work.turn)

const window = Number(milliseconds) * 1_000
const warmUp = await repeat(warmUpWindows * window)
// a turn that is long enough has warmed itself up
const isLong = warmUp.turns === 1 && warmUp.cpu > 2 * warmUpWindows * window
const measured = play.renew === undefined ? repeat : repeatInBouts
const { turns, cpu, elapsed } = isLong ? warmUp : await measured(window)
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

/** Plays turns in bouts: what a bout leaves behind is put away before the next one, and that is not measured. */
async function repeatInBouts(atLeast) {
  const sum = { turns: 0, cpu: 0, elapsed: 0 }
  while (sum.cpu < atLeast) {
    await play.renew()
    const startedAt = performance.now()
    const before = process.cpuUsage()
    for (let turn = 0; turn < play.turnsOfBout; turn += 1) check(await play())
    const { user, system } = process.cpuUsage(before)
    sum.turns += play.turnsOfBout
    sum.cpu += user + system
    sum.elapsed += (performance.now() - startedAt) * 1_000
  }
  return sum
}

/** A subject that skips work is not fast. */
function check({ calls, characters }) {
  const { steps, callsPerStep, argumentPieces, deltas, readers } = work.turn
  if (calls !== steps * callsPerStep) throw new Error(`${calls} of ${steps * callsPerStep} calls ran`)
  const argument = argumentPieces === 1 ? 0 : rawInputPieces(work.turn).join('').length
  const expected = readers * (deltas * delta.length + calls * argument)
  if (characters !== expected) throw new Error(`readers got ${characters} of ${expected} characters`)
}
