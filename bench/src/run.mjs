/** Measures all subjects at all works, side by side, then the probes, and prints medians. `--help` tells the options. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runProgram } from './child.mjs'
import { probes } from './probes.mjs'
import { formatReport } from './report.mjs'
import { resultsOf } from './results.mjs'
import { subjects } from './subjects.mjs'
import { works } from './works.mjs'

const usage = `usage: pnpm bench [--only SUBJECT,...] [--works WORK,...] [--probes PROBE,...] [--rounds N] [--quick] [--wall]
subjects: ${subjects.join(' ')}
works: ${works.map(({ id }) => id).join(' ')}
probes: ${probes.map(({ id }) => id).join(' ')}; with --only or --works none, unless they are named
Without --rounds: as many as fit into 11 minutes with all of it, at most 5. --quick is one short round of everything, a
tenth as large, to see that it runs. --wall shows elapsed instead of CPU time. A run of everything, and no other, writes
results.json.\n`

/** Unless `--rounds` says how many there are, no round begins that would end after this. */
const budgetMs = 650_000

/** How much smaller everything is in a quick run. */
const quickScale = 10

/** Each is a fresh process: nothing that another one loaded, compiled or left in memory is in its way. */
const programs = {
  measure: fileURLToPath(new URL('measure.mjs', import.meta.url)),
  probe: fileURLToPath(new URL('probe.mjs', import.meta.url)),
}

const selection = select(process.argv.slice(2))
if (typeof selection === 'string') {
  process.stderr.write(selection)
  process.exit(selection === usage ? 0 : 2)
}
const startedAt = performance.now()
const findings = await probeAll(selection)
const samples = await measureAll(selection)
const seconds = Math.round((performance.now() - startedAt) / 1_000)
const run = { ...selection, samples, findings, seconds }
process.stdout.write(formatReport(run))
if (selection.isWhole) {
  writeFileSync(new URL('../results.json', import.meta.url), `${JSON.stringify(resultsOf(run), undefined, 2)}\n`)
  process.stderr.write('results.json is written\n')
}
process.exitCode = [...samples, ...findings].every(({ error }) => error === undefined) ? 0 : 1

/** What the arguments ask for, or the text that says what is wrong with them. */
function select(args) {
  try {
    const { values } = parseArgs({
      args: args[0] === '--' ? args.slice(1) : args,
      options: {
        only: { type: 'string' },
        works: { type: 'string' },
        probes: { type: 'string' },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        wall: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return usage
    const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds is a number from 1 to 100')
    const isPart = values.only !== undefined || values.works !== undefined
    const isProbesOnly = values.probes !== undefined && !isPart
    return {
      subjects: pick(values.only, subjects, (name) => name),
      works: isProbesOnly ? [] : pick(values.works, works, ({ id }) => id),
      probes: values.probes === undefined ? usualProbes(isPart) : pick(values.probes, probes, ({ id }) => id),
      rounds,
      // what leaves something out is not kept: it would stand where a whole result was
      isWhole: !isPart && values.probes === undefined && !values.quick && !values.wall,
      budget: values.rounds === undefined ? budgetMs : Number.POSITIVE_INFINITY,
      milliseconds: values.quick ? 20 : 300,
      scale: values.quick ? quickScale : 1,
      time: values.wall ? 'elapsed' : 'cpu',
    }
  } catch (error) {
    return `${error.message}\n${usage}`
  }
}

/** A part of the bench has no probes, unless they are named; the whole has all but those that take minutes. */
function usualProbes(isPart) {
  return isPart ? [] : probes.filter(({ isHeavy }) => isHeavy !== true)
}

function pick(names, all, nameOf) {
  if (names === undefined) return all
  return names.split(',').map((name) => {
    const found = all.find((each) => nameOf(each) === name)
    if (found === undefined) throw new Error(`there is nothing called ${name}`)
    return found
  })
}

/** Round by round and, within a work, subject by subject: what disturbs the machine for a while disturbs all of them. */
async function measureAll({ subjects: chosen, works: wanted, rounds, budget, milliseconds, scale }) {
  const all = []
  const begun = performance.now()
  for (let round = 1; round <= rounds && wanted.length > 0; round += 1) {
    const perRound = (performance.now() - begun) / (round - 1)
    if (round > 1 && performance.now() - startedAt + perRound > budget) break
    for (const work of wanted) {
      process.stderr.write(`round ${round}: ${work.title}\n`)
      for (const subject of chosen) {
        if (work.only?.includes(subject) === false) continue
        const args = [subject, work.id, String(milliseconds), String(scale)]
        all.push({ subject, work: work.id, ...(await runProgram(programs.measure, args)) })
      }
    }
  }
  return all
}

/** Case by case, a few times over. */
async function probeAll({ probes: wanted, rounds, scale }) {
  const all = []
  for (const { id, title, cases, rounds: most } of wanted) {
    process.stderr.write(`${title}\n`)
    for (let round = 1; round <= Math.min(rounds, most); round += 1) {
      for (const name of cases) {
        all.push({ probe: id, case: name, ...(await runProgram(programs.probe, [id, name, String(scale)])) })
      }
    }
  }
  return all
}
