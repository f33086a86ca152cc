/** Measures all subjects at all works, side by side, and prints medians. `--help` tells the options. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { formatReport } from './report.mjs'
import { subjects } from './subjects.mjs'
import { works } from './works.mjs'

const usage = `usage: pnpm bench [--only SUBJECT,...] [--works WORK,...] [--rounds N] [--quick] [--wall]
subjects: ${subjects.join(' ')}
works: ${works.map(({ id }) => id).join(' ')}
Without --rounds: as many as fit into 5 minutes, at most 5. --quick is one short round, to see that everything runs.
--wall shows elapsed instead of CPU time.\n`

/** A subject that takes longer at one work has failed. */
const timeoutMs = 120_000

/** Unless `--rounds` says how many there are, no round begins that would end after this. */
const budgetMs = 290_000

const runFile = promisify(execFile)
const bench = fileURLToPath(new URL('..', import.meta.url))

const selection = select(process.argv.slice(2))
if (typeof selection === 'string') {
  process.stderr.write(selection)
  process.exit(selection === usage ? 0 : 2)
}
const startedAt = performance.now()
const samples = await measureAll(selection)
const seconds = Math.round((performance.now() - startedAt) / 1_000)
process.stdout.write(formatReport(samples, { ...selection, seconds }))
process.exitCode = samples.every(({ error }) => error === undefined) ? 0 : 1

/** What the arguments ask for, or the text that says what is wrong with them. */
function select(args) {
  try {
    const { values } = parseArgs({
      args: args[0] === '--' ? args.slice(1) : args,
      options: {
        only: { type: 'string', default: subjects.join() },
        works: { type: 'string', default: works.map(({ id }) => id).join() },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        wall: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return usage
    const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds is a number from 1 to 100')
    return {
      subjects: pick(values.only, subjects, (name) => name),
      works: pick(values.works, works, ({ id }) => id),
      rounds,
      budget: values.rounds === undefined ? budgetMs : Number.POSITIVE_INFINITY,
      milliseconds: values.quick ? 50 : 300,
      time: values.wall ? 'elapsed' : 'cpu',
    }
  } catch (error) {
    return `${error.message}\n${usage}`
  }
}

function pick(names, all, nameOf) {
  return names.split(',').map((name) => {
    const found = all.find((each) => nameOf(each) === name)
    if (found === undefined) throw new Error(`there is nothing called ${name}`)
    return found
  })
}

/** Round by round and, within a work, subject by subject: what disturbs the machine for a while disturbs all of them. */
async function measureAll({ subjects: chosen, works: wanted, rounds, budget, milliseconds }) {
  const all = []
  for (let round = 1; round <= rounds; round += 1) {
    const passed = performance.now() - startedAt
    if (round > 1 && passed + passed / (round - 1) > budget) break
    for (const work of wanted) {
      process.stderr.write(`round ${round}: ${work.title}\n`)
      for (const subject of chosen)
        all.push({ subject, work: work.id, ...(await measure(subject, work, milliseconds)) })
    }
  }
  return all
}

/** One fresh process: nothing that another subject loaded, compiled or left in memory is in its way. */
async function measure(subject, work, milliseconds) {
  const args = [fileURLToPath(new URL('measure.mjs', import.meta.url)), subject, work.id, String(milliseconds)]
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }
  try {
    const { stdout } = await runFile(process.execPath, args, {
      cwd: bench,
      env,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    return JSON.parse(stdout)
  } catch (error) {
    return { error: error.killed ? `ended after ${timeoutMs / 1_000} s` : reasonOf(error) }
  }
}

/** The line of a crash that tells why, without the folders of this machine. */
function reasonOf({ stderr = '', message }) {
  const lines = stderr.split('\n')
  const line = lines.find((each) => /^\w*Error\b/.test(each)) ?? message.split('\n')[0]
  return line
    .replace(/ imported from .*/, '')
    .replaceAll(bench, '')
    .slice(0, 300)
}
