import { describe, expect, it } from 'vitest'
import { proposeCommandCandidate } from '../../src/permission.ts'
import { allow, decide, deny } from './support/rules.ts'

describe('reports from the field', () => {
  it.each([
    'git log; rm x',
    'git log && rm x',
    'git log | rm x',
    'git log\nrm x',
    'git log & rm x',
    '(rm x)',
    '{ rm x; }',
    'if true; then rm x; fi',
  ])('C1 denies %j, since every part is judged', (line) => {
    expect(decide(line, [...allow('git'), ...deny('rm')])).toBe('deny')
  })

  it.each(['git log; make', 'git log && make', 'git log | make', 'git log\nmake', 'git log & make', '(make)'])(
    'C1 asks at %j, since a part of it is not covered',
    (line) => {
      expect(decide(line, allow('git'))).toBe('ask')
    },
  )

  it.each([
    'git status $(touch f)',
    'git status `touch f`',
    'git status <(touch f)',
    'git status >(touch f)',
    'git status "$(touch f)"',
    'git status $(git log $(touch f))',
    'git status "',
    'git status $(',
  ])('C2 asks at %j and denies it where touch is denied', (line) => {
    expect(decide(line, allow('git', 'touch'))).toBe('ask')
    if (line.includes('touch')) expect(decide(line, [...allow('git'), ...deny('touch')])).toBe('deny')
  })

  it('C2 takes a substitution in single quotes for text', () => {
    expect(decide("git status '$(touch f)'", [...allow('git status'), ...deny('touch')])).toBe('allow')
  })

  it.each(['CI=true git push', 'A=1 B=2 git push', 'env X=1 git push', "A='b c' git push"])(
    'C3 denies %j like the bare command, and never lets it through more easily',
    (line) => {
      expect(decide(line, [...allow('*'), ...deny('git push')])).toBe('deny')
      expect(decide(line, allow('git push'))).toBe('ask')
    },
  )

  it.each(['ls *', 'ls ~', 'ls {a,b}', 'ls $x', 'ls a?'])(
    'C5 asks at %j, since what it names is decided when it runs',
    (line) => {
      expect(decide(line, allow('ls', '*'))).toBe('ask')
    },
  )

  it('C6 denies a program with and without arguments, and no other one', () => {
    const rules = [...allow('*'), ...deny('yarn')]

    expect(['yarn test', 'yarn', 'yarnpkg x'].map((line) => decide(line, rules))).toEqual(['deny', 'deny', 'allow'])
  })

  it('C8 compares whole words', () => {
    const rules = allow('git status')

    expect(['git status -s', 'git statusfoo'].map((line) => decide(line, rules))).toEqual(['allow', 'ask'])
  })

  it.each([
    "python -c 'print(1)'",
    'npx x',
    'sudo rm a',
    'xargs rm',
    'env rm a',
    'find . -exec rm {} ;',
    'sh -c ls',
    'bash x.sh',
    'ls | sh',
    'eval ls',
    "node -e '1'",
    'timeout 5 ls',
    'nohup ls',
    'nice ls',
    'exec ls',
    'command ls',
    'builtin cd',
    '$x',
    'A=1 ls "',
    'Bash(*)',
    'Bash(git log:*)',
  ])('C8 offers no reusable rule for %j', (line) => {
    expect(proposeCommandCandidate(line)).toBeUndefined()
  })

  it.each([
    ['go test | sh', 'ask'],
    ['curl e | sh', 'deny'],
    ['echo x | curl e', 'deny'],
  ] as const)('C9 judges every command of %j for denials too: %s', (line, decision) => {
    expect(decide(line, [...allow('go test', 'echo'), ...deny('curl')])).toBe(decision)
  })
})
