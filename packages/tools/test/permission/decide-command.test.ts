// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell
import { describe, expect, it } from 'vitest'
import { decideCommand } from '../../src/permission.ts'
import { allow, decide, deny, rule } from './support/rules.ts'

describe('decideCommand', () => {
  it.each([
    'git  log -p',
    'git log',
    'git log --author="Ana B"',
    "git log -- ':(top)x'",
    '(git log; git log -1)',
    'git log # x',
  ])('lets the family `git log` cover %j', (line) => {
    expect(decide(line, allow('git log'))).toBe('allow')
  })

  it.each([
    'git log; rm x',
    'git log > f',
    'git log $(x)',
    '"git" log',
    'FOO=1 git log',
    'git logx',
    'git',
    './git log',
    'git -C x log',
    'git log --output=f',
    'git log *',
    'git log ~',
    'git log \u{2028}rm',
    '\u{feff}git log',
    'git log\r',
    'git log &> f',
    'git l\\og',
    'cd x; git log',
    'git log "',
    'git log <<E\nx',
    `git log ${'a'.repeat(16_384)}`,
  ])('does not let the family `git log` cover %j', (line) => {
    expect(decide(line, allow('git log'))).toBe('ask')
  })

  it.each([
    '(git push) & true',
    'git log && git push',
    'git -C dir push',
    'git -c k=v push',
    "git 'push'",
    '/usr/bin/git push',
  ])('denies %j by the family `git push`', (line) => {
    expect(decide(line, [...allow('*'), ...deny('git push')])).toBe('deny')
  })

  it.each([
    'c=rm; $c x',
    'for i in rm; do $i x; done',
    '{rm,x}',
    'r{m,n}',
    '/usr/bin/[r]m x',
    'git ${1-push}',
    'f() { "$@"; }; f rm x',
    'x="rm y"; eval "$x"',
    "trap 'rm x' EXIT",
    'alias git=rm\ngit log',
    "read 'a[$(rm x)]' < a.txt",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    'x=\'$(rm x)\'; echo "${x@P}"',
    'echo rm x | sh',
    "sh <<'E'\nrm x\nE",
    'find . -exec sh -c \'rm "$1"\' _ {} ;',
    'sudo -u me env A=1 nice -n 5 rm x',
    "git submodule foreach 'rm x'",
    'git bisect run rm x',
    "git -c alias.x='!rm q' x",
    "git clone 'ext::rm x'",
    "tar -xf f --to-command='rm q'",
    "go test -exec 'rm x' ./...",
    'make SHELL=/bin/rm',
    "perl -e 'system(q(git push))'",
    "ssh -o ProxyCommand='rm x' h",
    'rm x\n$(',
    'git push\nfi',
    `${'('.repeat(400)}rm x${')'.repeat(400)}`,
    `git log ${' '.repeat(30_000)}; rm x`,
    'r\0m x',
    ' ]]\nrm x',
    'cat <<E; rm x\nunfinished',
    "cat <<E\n${x:-'$(rm x)'}\nE",
    'cat <<E\n`show "a\\"; rm x; show "b"`\nE',
    "show $((eval 'a=`rm x`'))",
    'sh -c "[[ a || rm x ]]"',
    'IFS=_; x=rm_x; $x',
    'x=r; x+=m; $x y',
    'echo rm x > s; . ./s',
    'echo rm x | xargs -I{} sh -c {}',
    "env -S'rm x'",
    'docker run -it image rm x',
    'npm exec -- rm x',
    "git grep -O'rm x' y",
    "tar --to-comm='rm x' -xf f",
    'tar --checkpoint-act=exec=rm -xf f',
    "mapfile -C 'rm x' -c 1 a",
  ])('finds what is denied in %j', (line) => {
    expect(decide(line, [...allow('*'), ...deny('rm', 'git push')])).toBe('deny')
  })

  it.each([
    'git log &>out rm x',
    '((rm x))',
    '[[ a || rm x ]]',
    'f() rm x\nf',
    'function f\nrm x',
    "echo $'a\\'; rm x; echo 'b'",
    'echo $[ 1; rm x ]',
  ])('denies %j, which another shell than bash takes for more', (line) => {
    expect(decide(line, [...allow('*'), ...deny('rm')])).toBe('deny')
  })

  it.each([
    "echo 'a;rm x'",
    'echo a\\;rm x',
    'git log #; rm x',
    "cat <<'E'\n$(rm x)\nE",
    'rmdir x',
    'xrm x',
    'echo rm',
  ])('does not take what %j only says for a command', (line) => {
    expect(decide(line, [...allow('*'), ...deny('rm')])).toBe('allow')
  })

  it.each([
    'export PATH=.; ls',
    'hash -p x ls',
    'ls() { x; }; ls',
    'read PATH',
    'printf -v PATH x',
    'PATH=x',
    'cd x && ls > f',
    'unset PATH; ls',
    'set -a',
    'exec ls',
    '. ./x',
    'for ls in a; do ls; done',
    'sudo ls',
    "sed '1e x' a",
    'awk \'BEGIN { system("x") }\'',
    'tar -I x -xf f',
    'npm --script-shell=x test',
    'git rebase -x y',
    'sort -o f a',
    '> f',
    '',
    '# nothing',
    '[[ a ]]',
    '$()',
    '- ls',
    '\u{ff52}\u{ff4d} x',
    "echo '\u{202e}x'",
    'git log --outp=f',
    'command -v ls',
    'ls x=~/y',
    'ls <> f',
    `cat ${'`x`'.repeat(200)}`,
  ])('asks at %j even when every command is allowed', (line) => {
    expect(decide(line, allow('*'))).toBe('ask')
  })

  it('takes what only bash reads for certain when bash runs the line', () => {
    const lines = ['cat <<< x', 'time cat x', 'cat x |& cat', '[[ -f x ]] && cat x']

    expect(lines.map((line) => decide(line, allow('cat'), { shell: 'bash' }))).toEqual(lines.map(() => 'allow'))
    expect(lines.map((line) => decide(line, allow('cat')))).toEqual(lines.map(() => 'ask'))
  })

  it('lets an exact rule cover the whole text, or one command of several, and nothing next to it', () => {
    const rules = allow('=npm run build && npm test', '=npm test', '=echo $(date)')
    const lines = [
      'npm run build && npm test',
      ' npm test\n',
      'npm test; npm test',
      'echo $(date)',
      'npm  test',
      'npm test x',
    ]

    expect(lines.map((line) => decide(line, rules))).toEqual(['allow', 'allow', 'allow', 'allow', 'ask', 'ask'])
  })

  it('denies by an exact rule however the command is written', () => {
    const rules = [...allow('*'), ...deny('=rm -rf build')]
    const lines = ['rm -rf build', 'rm  "-rf" build', 'ls; rm -rf build', 'rm -rf other']

    expect(lines.map((line) => decide(line, rules))).toEqual(['deny', 'deny', 'deny', 'allow'])
  })

  it('denies every command by a wildcard', () => {
    expect(decide('ls', [...allow('ls'), ...deny('*')])).toBe('deny')
  })

  it('judges redirections as files that are written and read', () => {
    const rules = [
      ...allow('echo'),
      ...allow('>/project/out.txt', '>/project/logs/', '</project/in.txt'),
      ...deny('>/project/logs/x'),
    ]
    const decisions = Object.entries({
      'echo a > out.txt': 'allow',
      'echo a > ./out.txt': 'allow',
      'echo a >> logs/run.log 2>&1': 'allow',
      'echo a > /project/logs/a': 'allow',
      'echo a < in.txt': 'allow',
      'echo a > o"ut".txt': 'allow',
      'echo a > logs/../f': 'ask',
      'echo a > out.txt.bak': 'ask',
      'echo a > $F': 'ask',
      'echo a < out.txt': 'ask',
      'echo a > /dev/tcp/127.0.0.1/9': 'ask',
      'echo a > logs/x': 'deny',
      'true || echo $(echo a > logs/./x)': 'deny',
    })

    for (const [line, decision] of decisions) expect([line, decide(line, rules)]).toEqual([line, decision])
  })

  it('never covers a relative target while it is not known where the command starts', () => {
    expect(decideCommand('echo a > out.txt', { rules: allow('echo', '>/out.txt', '>/project/out.txt') }).decision).toBe(
      'ask',
    )
  })

  it('says which rule decided, and why', () => {
    const rules = [...allow('git'), ...deny('git push')]

    expect(decideCommand('git log', { rules })).toEqual({
      decision: 'allow',
      rule: rule('allow', 'git'),
      why: 'rules cover every command in it',
    })
    expect(decideCommand('git push', { rules })).toEqual({
      decision: 'deny',
      rule: rule('deny', 'git push'),
      why: 'it could run a denied command: git push',
    })
    expect(decideCommand('make x', { rules })).toEqual({ decision: 'ask', why: 'no rule covers: make x' })
  })

  it('bounds what a hostile text costs', () => {
    const rules = [...allow('*'), ...deny('rm', 'git push')]
    const hostile = [
      '{a,b}'.repeat(500),
      '$('.repeat(5_000),
      '`'.repeat(20_000),
      "'".repeat(99_999),
      `echo ${'$x'.repeat(10_000)}`,
      `${'$x '.repeat(10_000)}`,
      'sudo '.repeat(5_000),
      'eval '.repeat(5_000),
      `cat ${'<<E '.repeat(2_000)}`,
      '\\ '.repeat(50_000),
      `alias a=b\n${'a\n'.repeat(5_000)}`,
      'a=$(('.repeat(2_000),
      `x=${'a b '.repeat(20_000)}; $x`,
      '\n('.repeat(3_000),
    ]
    for (const line of hostile) {
      const started = process.cpuUsage()
      decide(line, rules)
      // Microseconds of this process alone; most of them take a hundredth of it.
      const { user } = process.cpuUsage(started)
      expect([line.slice(0, 12), user < 3_000_000]).toEqual([line.slice(0, 12), true])
    }
  }, 120_000)
})
