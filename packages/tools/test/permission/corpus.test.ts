import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { decideCommand, type PermissionRule } from '../../src/permission.ts'
import { rule } from './support/rules.ts'

interface Line {
  readonly id: string
  readonly line: string
  readonly shell: 'sh' | 'bash'
  readonly tags: readonly string[]
}
interface Label {
  readonly id: string
  readonly ruleset: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly tolerated?: readonly string[]
}
interface RuleSet {
  readonly allow: readonly Notation[]
  readonly deny: readonly Notation[]
  readonly write?: readonly string[]
}
interface Notation {
  readonly tokens?: readonly string[]
  readonly exact?: string
  readonly wildcard?: boolean
}

const beside = fileURLToPath(new URL('../../../../../shared/cases/shell', import.meta.url))
const folder = process.env.LOOPRIG_SHELL_CASES ?? beside
const missing = !existsSync(join(folder, 'corpus.jsonl'))
const strength = { allow: 0, ask: 1, deny: 2 }

/** Lines whose label is too weak or too strict: each is judged more strictly here, never less. */
const heldWrong = new Set([
  // The spec allows nothing above 16 KiB.
  'S652',
  'S657',
  // make runs the recipes with this shell; git fetch runs this command.
  'S457',
  'S483',
  // The second line is a command that no rule names.
  'S172',
])

describe.skipIf(missing)(`decisions on the shell cases${missing ? ' (skipped: no folder of cases)' : ''}`, () => {
  const judged = missing ? [] : judge()

  it('looks at every line under every rule set', () => {
    expect(judged.length).toBeGreaterThan(2_000)
  })

  it('decides on no line more weakly than is right', () => {
    expect(judged.filter(({ got, right }) => strength[got] < strength[right])).toEqual([])
  })

  it('asks at no everyday line needlessly', () => {
    expect(judged.filter(({ stratum, got, right }) => stratum === 'everyday' && got !== right)).toEqual([])
  })

  it('decides more strictly than the label on the lines only whose label is held to be wrong', () => {
    const stricter = judged.filter(({ got, right }) => strength[got] > strength[right])

    expect(stricter.filter(({ id }) => !heldWrong.has(id))).toEqual([])
  })
})

function judge() {
  const sets: Readonly<Record<string, RuleSet>> = JSON.parse(readFileSync(join(folder, 'rulesets.json'), 'utf8'))
  const rules = new Map(Object.entries(sets).map(([name, set]) => [name, rulesOf(set)]))
  const labels = new Map(readLines<Label>('decisions.jsonl').map((label) => [`${label.id} ${label.ruleset}`, label]))
  return readLines<Line>('corpus.jsonl').flatMap(({ id, line, shell, tags }) =>
    [...rules].flatMap(([ruleset, each]) => {
      const label = labels.get(`${id} ${ruleset}`)
      if (label === undefined) return []
      const { decision, why } = decideCommand(line, { rules: each, directory: '/project', shell })
      const right = label.tolerated?.includes(decision) ? decision : label.decision
      return [{ id, ruleset, stratum: tags[0], got: decision, right, why }]
    }),
  )
}

function readLines<T>(file: string): T[] {
  return readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((json) => JSON.parse(json))
}

function rulesOf(set: RuleSet): PermissionRule[] {
  const text = ({ tokens, exact }: Notation) => (tokens ? tokens.join(' ') : exact === undefined ? '*' : `=${exact}`)
  const writes = (set.write ?? []).map((path) => rule('allow', `>${path.startsWith('/') ? path : `/project/${path}`}`))
  return [
    ...set.allow.map((each) => rule('allow', text(each))),
    ...set.deny.map((each) => rule('deny', text(each))),
    ...writes,
  ]
}
