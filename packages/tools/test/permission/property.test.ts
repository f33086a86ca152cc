import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../src/permission.ts'
import { weaker } from './support/oracle.ts'
import { shellLines, shellSoups } from './support/shell-lines.ts'
import { findShell, type StubShell, stubShell } from './support/shell-run.ts'

// Set both for a hunt; the same lines every time else, so that a failure is never news of another change.
const numRuns = Number(process.env.LOOPRIG_SHELL_RUNS ?? 150)
const seed = Number(process.env.LOOPRIG_SHELL_SEED ?? 1)
const found = { bash: findShell('bash'), dash: findShell('dash') }
const shells: StubShell[] = []
afterAll(() => {
  for (const shell of shells) shell[Symbol.dispose]()
})

function start(path: string): StubShell {
  const shell = stubShell(path)
  shells.push(shell)
  return shell
}

// A line for any shell must be judged for bash too, but not the other way round.
const cases = [
  { name: 'bash', judgedFor: ['bash', 'sh'] },
  { name: 'dash', judgedFor: ['sh'] },
] as const

describe.each(cases)('a decision, and what $name really runs', ({ name, judgedFor }) => {
  const path = found[name]

  it.skipIf(path === undefined).each([
    ['a grammar', shellLines],
    ['a soup of tokens', shellSoups],
  ] as const)(
    'is never weaker than the strictest decision on a command that ran, for lines of %s',
    (_, lines) => {
      let shell = start(path ?? '')

      fc.assert(
        fc.property(lines, (line) => {
          const run = shell.run(line)
          if (run === undefined) {
            // What did not end may still write to its log.
            shell = start(path ?? '')
            return
          }
          for (const policy of judgedFor satisfies readonly Shell[]) {
            if (weaker(line, run, policy) === undefined) continue
            // What an earlier line left running may have told us; a fresh place has none of it.
            shell = start(path ?? '')
            expect(weaker(line, shell.run(line) ?? run, policy)).toBeUndefined()
          }
        }),
        { numRuns, seed },
      )
    },
    600_000,
  )
})
