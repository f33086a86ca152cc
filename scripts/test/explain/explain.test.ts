import { describe, expect, it } from 'vitest'
import * as door from '../../../packages/tools/src/permission.ts'
import { explain } from '../../explain/explain.mjs'
import { UsageError } from '../../wire/usage-error.mjs'
import { tempTree } from '../temp-tree.ts'

const own = JSON.stringify({
  version: 2,
  normalization_version: 1,
  rules: [
    {
      effect: 'deny',
      capability: 'command.execute',
      enforcement_class: 'command.invoke.shell-segment-glob.v1',
      match: { tokens: ['git', 'push'], trailing_arguments: true },
    },
    { effect: 'allow', capability: 'command.execute', enforcement_class: 'command.invoke.wildcard.v1', match: {} },
  ],
})
const set = {
  about: 'x',
  allow: [{ tokens: ['echo'] }, { exact: 'npm test' }],
  deny: [{ tokens: ['rm'] }],
  write: ['out.txt', 'logs/', '/dev/null'],
}

function folder(): string {
  return tempTree({
    'own.json': own,
    'set.json': JSON.stringify(set),
    'sets.json': JSON.stringify({ R1: set, R2: { allow: [{ wildcard: true }], deny: [] } }),
    'lines.jsonl': [
      '{"id":"a","line":"echo x","shell":"bash"}',
      '',
      '{"line":"rm x"}',
      '{"id":3,"line":"echo $x"}',
      '',
    ].join('\n'),
    'broken.json': '{',
    'list.json': '[]',
    'odd.json': '{"x":1}',
    'bad-rule.json': '{"allow":[{"tokens":"git"}],"deny":[]}',
    'bad-token.json': '{"allow":[{"tokens":["git *"]}],"deny":[]}',
    'bad-field.json': '{"allow":[],"deny":[],"ask":[]}',
    'bad-version.json': '{"version":1,"rules":[]}',
    'bad-own.json': own.replace('"git"', '"gi t"'),
    'bad-lines.jsonl': '{"line":"x"}\n{"line":1}\n',
    'no-lines.jsonl': '{"line":"x"}\nx\n',
    'bad-shell.jsonl': '{"line":"x","shell":"fish"}',
  })
}

async function run(...args: readonly string[]): Promise<unknown[]> {
  const lines: unknown[] = []
  await explain(args, { door, folder: folder(), write: (line) => lines.push(JSON.parse(line)) })
  return lines
}

describe('explain', () => {
  it('prints a decision, the rule and the reason for one command', async () => {
    expect(await run('--rules', 'own.json', 'git -C x push')).toEqual([
      {
        line: 'git -C x push',
        decision: 'deny',
        rule: { effect: 'deny', kind: 'command.execute', match: 'Bash(git push:*)' },
        why: 'it could run a denied command: git push',
      },
    ])
  })

  it('drops the dashes that pnpm leaves before the arguments, and takes a command after others', async () => {
    expect(await run('--', '--rules', 'own.json', '--', '-x y')).toMatchObject([{ line: '-x y', decision: 'ask' }])
  })

  it('prints a line for each line of a file, in order, with its id when it has one', async () => {
    expect(await run('--rules', 'set.json', '--lines', 'lines.jsonl')).toMatchObject([
      { id: 'a', line: 'echo x', decision: 'allow' },
      { line: 'rm x', decision: 'deny' },
      { id: 3, line: 'echo $x', decision: 'ask', why: 'a part of it is decided when it runs' },
    ])
  })

  it('reads the short notation of a rule set, with the files that may be written', async () => {
    const decisions: unknown[] = []
    for (const line of ['echo x > out.txt', 'echo x >> logs/a', 'echo x > /dev/null', 'echo x > f', 'npm test']) {
      decisions.push(...(await run('--rules', 'set.json', '--directory', '/w', line)))
    }

    expect(decisions).toMatchObject(['allow', 'allow', 'allow', 'ask', 'allow'].map((decision) => ({ decision })))
  })

  it('takes one set out of a file of several', async () => {
    expect(await run('--rules', 'sets.json', '--set', 'R2', 'rm x')).toMatchObject([{ decision: 'allow' }])
  })

  it('judges for the shell that it is told', async () => {
    const [line] = ['cat <<< x']

    expect(await run('--rules', 'sets.json', '--set', 'R2', line)).toMatchObject([{ decision: 'ask' }])
    expect(await run('--rules', 'sets.json', '--set', 'R2', '--shell', 'bash', line)).toMatchObject([
      { decision: 'allow' },
    ])
  })

  it.each([
    [[], '--rules is missing'],
    [['--rules', 'own.json'], 'give --lines or a COMMAND'],
    [['--rules', 'own.json', 'git', 'log'], 'quote it'],
    [['--rules', 'own.json', '--lines', 'lines.jsonl', 'ls'], 'not both'],
    [['--rules', 'own.json', '--what', 'ls'], "Unknown option '--what'"],
    [['--rules', 'own.json', '--shell', 'fish', 'ls'], '--shell must be sh or bash'],
    [['--rules', 'own.json', '--directory', 'x', 'ls'], '--directory must be an absolute path'],
    [['--rules', 'none.json', 'ls'], 'none.json: cannot be read (ENOENT)'],
    [['--rules', '.', 'ls'], '.: is no file'],
    [['--rules', 'broken.json', 'ls'], 'broken.json: is not JSON'],
    [['--rules', 'list.json', 'ls'], 'list.json: is no object of rules'],
    [['--rules', 'odd.json', 'ls'], 'odd.json: has neither'],
    [['--rules', 'sets.json', 'ls'], 'choose one with --set (R1, R2)'],
    [['--rules', 'sets.json', '--set', 'R9', 'ls'], 'choose one with --set (R1, R2)'],
    [['--rules', 'bad-rule.json', 'ls'], 'bad-rule.json: allow[0]: give'],
    [['--rules', 'bad-token.json', 'ls'], 'rules[0].match.tokens.0: field_invalid'],
    [['--rules', 'bad-field.json', 'ls'], 'bad-field.json: "ask" is not known'],
    [['--rules', 'bad-version.json', 'ls'], 'version that this release does not know'],
    [['--rules', 'bad-own.json', 'ls'], 'rules[0].match.tokens.0: field_invalid'],
    [['--rules', 'own.json', '--lines', 'bad-lines.jsonl'], 'bad-lines.jsonl:2: "line" must be a text'],
    [['--rules', 'own.json', '--lines', 'no-lines.jsonl'], 'no-lines.jsonl:2: is not JSON'],
    [['--rules', 'own.json', '--lines', 'bad-shell.jsonl'], 'bad-shell.jsonl:1: "shell" must be sh or bash'],
  ])('says what is wrong with %j, and prints nothing', async (args, message) => {
    const printed: string[] = []
    const work = explain(args, { door, folder: folder(), write: (line) => printed.push(line) })

    await expect(work).rejects.toThrow(UsageError)
    await expect(work).rejects.toThrow(message)
    expect(printed).toEqual([])
  })
})
