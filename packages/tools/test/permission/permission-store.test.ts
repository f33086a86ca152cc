import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Requirement, RuleCandidate } from '../../src/index.ts'
import { openStore } from '../../src/permission/store/permission-store.ts'
import {
  decideCommand,
  type FileError,
  type PermissionRule,
  permissionStore,
  readOnlyPermissionStore,
} from '../../src/permission.ts'
import { canMakePipes, makePipe } from '../support/special-file.ts'
import { allow, deny, rule, writeRules } from './support/rules.ts'
import { tempPath } from './support/temp-folder.ts'

function command(match: string): Requirement {
  return {
    kind: 'command.execute',
    scope: '',
    match,
    description: match,
    grantClass: 'command.start.v1',
    grantTarget: match,
  }
}

function candidate(match: string, target = match): RuleCandidate {
  return { kind: 'command.execute', match, description: match, grantClass: 'command.start.v1', grantTarget: target }
}

function read(path: string): PermissionRule['effect'][] {
  return JSON.parse(readFileSync(path, 'utf8')).rules.map(({ effect }: PermissionRule) => effect)
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: FileError) => error.code,
  )
}

const pipe: [string, (path: string) => void, string] = ['a pipe', (path) => makePipe(moved(path)), 'not_regular']

/** Moves a file away, so that its path is free. */
function moved(path: string): string {
  renameSync(path, `${path}.real`)
  return path
}

// Only the superuser can give a file away.
const stranger: [string, (path: string) => void, string] = [
  "another user's",
  (path) => chownSync(path, 65_534, 65_534),
  'owner_unexpected',
]

describe('permissionStore', () => {
  it('starts without a file, and makes it with its folder on the first change', async () => {
    const path = join(dirname(tempPath()), 'new', 'deep', 'permissions.json')
    const store = await permissionStore({ path })
    expect(await store.allows(command('git log'))).toBeUndefined()

    await store.writeRules([candidate('Bash(git log:*)', 'git log -1')])

    expect(await store.allows(command('git  log -p'))).toEqual({
      effect: 'allow',
      kind: 'command.execute',
      match: 'Bash(git log:*)',
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      version: 2,
      normalization_version: 1,
      rules: [
        {
          effect: 'allow',
          capability: 'command.execute',
          enforcement_class: 'command.invoke.shell-segment-glob.v1',
          match: { tokens: ['git', 'log'], trailing_arguments: true },
        },
      ],
    })
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n {2}"version": 2,[\s\S]*\}\n$/)
  })

  it.each(['permissions.json', './x.json', '/a/../b.json', '/a//b.json', '/a/', '', '/a\0b'])(
    'refuses the path %j, since it is not absolute and clean',
    async (path) => {
      expect(await codeOf(permissionStore({ path }))).toBe('path_invalid')
    },
  )

  it.each<[string, (path: string) => void, string]>([
    ['open to others', (path) => chmodSync(path, 0o644), 'mode_unexpected'],
    ['open to the group', (path) => chmodSync(path, 0o660), 'mode_unexpected'],
    ['read-only', (path) => chmodSync(path, 0o400), 'mode_unexpected'],
    ['a link', (path) => symlinkSync(`${path}.real`, moved(path)), 'symlink'],
    ['a file of two names', (path) => linkSync(path, `${path}.other`), 'link_count_unexpected'],
    ['a folder', (path) => mkdirSync(moved(path), { mode: 0o600 }), 'not_regular'],
    ...(canMakePipes ? [pipe] : []),
    ...(process.geteuid?.() === 0 ? [stranger] : []),
    ['too large', (path) => writeFileSync(path, ' '.repeat(2_000)), 'too_large'],
    ['of version 1', (path) => writeFileSync(path, '{"version":1,"rules":[]}'), 'version_unsupported'],
    ['not JSON', (path) => writeFileSync(path, '{"version":2'), 'malformed'],
    ['not UTF-8', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff])), 'malformed'],
  ])('refuses every query while the file is %s, and works again when it is as it was', async (_, spoil, code) => {
    const path = tempPath()
    writeRules(path, allow('git log'))
    const store = await permissionStore({ path, maxFileBytes: 1_500 })
    const saved = `${path}.saved`

    renameSync(path, saved)
    writeFileSync(path, readFileSync(saved), { mode: 0o600 })
    spoil(path)
    const codes = [
      await codeOf(Promise.resolve(store.denies(command('git log')))),
      await codeOf(Promise.resolve(store.allows(command('git log')))),
      await codeOf(store.list()),
      await codeOf(store.writeRules([candidate('ls')])),
      await codeOf(permissionStore({ path, maxFileBytes: 1_500 })),
    ]
    expect(codes).toEqual([code, code, code, code, code])

    renameSync(path, `${path}.bad`)
    renameSync(saved, path)
    expect(await store.allows(command('git log'))).toBeDefined()
  })

  it('sees a change of the same size at the same time', async () => {
    const path = tempPath()
    writeRules(path, allow('git log'))
    const store = await permissionStore({ path })
    const { atime, mtime } = statSync(path)

    writeFileSync(path, readFileSync(path, 'utf8').replace('"log"', '"add"'))
    utimesSync(path, atime, mtime)

    expect(await store.allows(command('git log'))).toBeUndefined()
    expect(await store.allows(command('git add x'))).toBeDefined()
  })

  it('keeps foreign rules and denials, their order and each rule once when it adds some', async () => {
    const path = tempPath()
    writeRules(path, [...deny('rm'), ...allow('*', 'git log')])
    const store = await permissionStore({ path })

    await store.writeRules([candidate('Bash(git log:*)', 'git log'), candidate('make x'), candidate('make x')])

    expect((await store.list()).map(({ text }) => `${text.effect} ${text.match}`)).toEqual([
      'deny Bash(rm:*)',
      'allow Bash(*)',
      'allow Bash(git log:*)',
      'allow make x',
    ])
  })

  it('writes nothing when nothing is new', async () => {
    const path = tempPath()
    writeRules(path, allow('git log'))
    const store = await permissionStore({ path })
    const { ino } = statSync(path)

    await store.writeRules([candidate('Bash(git log:*)', 'git log')])
    await store.writeRules([])

    expect(statSync(path).ino).toBe(ino)
  })

  it.each<[string, RuleCandidate]>([
    ['a wildcard', candidate('Bash(*)')],
    ['a wildcard for a plain command', candidate('Bash(*)', 'ls')],
    ['a command that is spelled like a family', candidate('Bash(git log:*)')],
    ['a family with two spaces', candidate('Bash(git  log:*)', 'git log')],
    ['a family with a glob', candidate('Bash(git *:*)', 'git log')],
    ['an empty family', candidate('Bash(:*)', 'git log')],
    ['another command than was shown', candidate('ls', 'rm x')],
    ['a command without its grant', { kind: 'command.execute', match: 'ls', description: 'ls' }],
    ['a kind that rules do not know', { kind: 'context.load', match: 'embedded:x', description: 'x' }],
    ['a path that is not clean', { kind: 'filesystem.read', match: '/a/../b', description: 'x' }],
    ['a relative path', { kind: 'filesystem.write', match: 'b', description: 'x' }],
    ['a target without a port', { kind: 'network', match: 'tcp://a', description: 'x' }],
  ])('refuses a batch with %s, and saves nothing of it', async (_, bad) => {
    const path = tempPath()
    const store = await permissionStore({ path })

    expect(await codeOf(store.writeRules([candidate('git status'), bad]))).toBe('candidate_invalid')
    expect(existsSync(path)).toBe(false)
  })

  it('takes a rule away by its id, and says whether it was there', async () => {
    const path = tempPath()
    writeRules(path, [...allow('git log'), ...deny('rm')])
    const store = await permissionStore({ path })
    const [first] = await store.list()

    expect(await store.remove(first?.id ?? '')).toBe(true)
    expect(await store.remove(first?.id ?? '')).toBe(false)
    expect(read(path)).toEqual(['deny'])
  })

  it('adds denials and wildcards that a program writes, and no invalid rule', async () => {
    const store = await permissionStore({ path: tempPath() })

    await store.add([rule('allow', '*'), rule('deny', 'git push')])

    expect(await store.denies(command('git -C x push'))).toMatchObject({ effect: 'deny', match: 'Bash(git push:*)' })
    expect(await store.allows(command('git push'))).toBeUndefined()
    expect(await store.allows(command('git pull'))).toMatchObject({ match: 'Bash(*)' })
    await expect(store.add([rule('deny', '>/a/../b')])).rejects.toMatchObject({ code: 'field_invalid', index: 0 })
  })

  it('explains a request: what decides on each requirement, and why', async () => {
    const store = await permissionStore({ path: tempPath() })
    await store.add([rule('allow', 'git'), rule('deny', 'git push'), rule('allow', '</project/')])
    const requirements: Requirement[] = [
      command('git log && git push'),
      { kind: 'filesystem.read', scope: '/project/a', match: '/project/a', description: 'read a' },
      { kind: 'network', scope: '', match: 'tcp://a:443', description: 'a' },
    ]

    const { decision, requirements: said } = await store.explain({ toolName: 'Bash', summary: 'x', requirements })

    expect(decision).toBe('deny')
    expect(said.map(({ decision, rule, why }) => [decision, rule?.text.match, why])).toEqual([
      ['deny', 'Bash(git push:*)', 'it could run a denied command: git push'],
      ['allow', 'tree:/project', 'a rule allows it'],
      ['ask', undefined, 'no rule covers it'],
    ])
  })

  it('tells families that allow and are not in the catalogue, and nothing of denials', async () => {
    const store = await permissionStore({ path: tempPath() })
    await store.add([rule('deny', 'make'), rule('allow', 'git log'), rule('allow', 'make')])

    expect(await store.diagnostics()).toEqual([
      {
        code: 'allow_family_out_of_catalog',
        ruleIndex: 2,
        message: 'allows a family of commands that is not in the catalogue',
      },
    ])
  })

  it('refuses to write into a folder that others can write into', async () => {
    const path = tempPath()
    const store = await permissionStore({ path })
    chmodSync(dirname(path), 0o777)

    expect(await codeOf(store.writeRules([candidate('ls')]))).toBe('directory_unsafe')
    expect(existsSync(path)).toBe(false)
  })

  it('refuses a change that would make the file too large, and keeps the old one', async () => {
    const path = tempPath()
    const store = await permissionStore({ path, maxFileBytes: 400 })
    await store.writeRules([candidate('ls')])

    expect(await codeOf(store.writeRules([candidate(`ls ${'x'.repeat(300)}`)]))).toBe('too_large')
    expect(await store.list()).toHaveLength(1)
  })

  it.each(['write', 'sync', 'rename'] as const)(
    'keeps the old file, and leaves nothing beside it, when the disk fails at %s',
    async (failing) => {
      const path = tempPath()
      writeRules(path, deny('rm'))
      const before = readFileSync(path)
      const onStep = (step: string) => {
        if (step === failing) throw Object.assign(new Error(), { code: 'ENOSPC' })
      }
      const store = await openStore({ path }, onStep)

      expect(await codeOf(store.writeRules([candidate('ls')]))).toBe('io')
      expect(readFileSync(path)).toEqual(before)
      expect(readdirSync(dirname(path))).toEqual(['permissions.json'])
    },
  )

  it('fails the change when the folder cannot be synced, so that nothing runs on a rule that may be lost', async () => {
    const path = tempPath()
    const onStep = (step: string) => {
      if (step === 'sync_folder') throw Object.assign(new Error(), { code: 'EIO' })
    }
    const store = await openStore({ path }, onStep)

    expect(await codeOf(store.writeRules([candidate('ls')]))).toBe('io')
  })

  it('merges what an editor saves between reading and renaming', async () => {
    const path = tempPath()
    writeRules(path, deny('rm'))
    let edits = 0
    const onStep = (step: string) => {
      if (step === 'rename' && edits++ === 0) writeRules(path, [...deny('rm'), ...deny('curl')])
    }
    const store = await openStore({ path }, onStep)

    await store.writeRules([candidate('ls')])

    expect((await store.list()).map(({ text }) => text.match)).toEqual(['Bash(rm:*)', 'Bash(curl:*)', 'ls'])
  })

  it('says nothing of the path or of the file in an error', async () => {
    const path = tempPath('sentinel-name.json')
    writeFileSync(path, '{"version":2,"sentinel":1}', { mode: 0o600 })
    const errors: unknown[] = []
    for (const each of [path, 'sentinel/relative', `${path}/below`])
      await permissionStore({ path: each }).catch((e) => errors.push(e))
    writeFileSync(path, JSON.stringify({ version: 2, normalization_version: 1, rules: [{ effect: 'sentinel' }] }))
    await permissionStore({ path }).catch((error) => errors.push(error))

    expect(errors).toHaveLength(4)
    for (const error of errors) {
      const { message, cause } = error as Error
      expect(`${message} ${cause instanceof Error ? cause.message : ''}`).not.toContain('sentinel')
    }
  })
})

describe('readOnlyPermissionStore', () => {
  it('reads once, and writes nothing', async () => {
    const path = tempPath()
    writeRules(path, allow('git log'))
    const store = await readOnlyPermissionStore({ path })
    writeRules(path, deny('git log'))

    expect(await store.allows(command('git log'))).toBeDefined()
    expect(await codeOf(store.writeRules([candidate('ls')]))).toBe('read_only')
    expect(read(path)).toEqual(['deny'])
  })

  it('has no rules without a path, and refuses a file that is missing or unsafe', async () => {
    const path = tempPath()

    expect(await (await readOnlyPermissionStore({ path: '' })).list()).toEqual([])
    expect(await codeOf(readOnlyPermissionStore({ path }))).toBe('missing')
    writeRules(path, [])
    chmodSync(path, 0o644)
    expect(await codeOf(readOnlyPermissionStore({ path }))).toBe('mode_unexpected')
  })
})

describe('a store behind a gate', () => {
  it('saves what a prompt would show so that it covers the next such call', async () => {
    const store = await permissionStore({ path: tempPath() })
    const shown: RuleCandidate[] = [
      candidate('make -j4 check'),
      candidate('Bash(git log:*)', 'git log -1'),
      { kind: 'network', match: 'tcp://example.com:443', description: 'x' },
      {
        kind: 'network',
        match: 'tcp://[::1]:443',
        description: 'x',
        grantClass: 'network.proxy-target.v1',
        grantTarget: 'tcp:[::1]:443',
      },
      {
        kind: 'network',
        match: '{"command":"x","target":"tcp:*:22"}',
        description: 'x',
        grantClass: 'network.broad.v1',
        grantTarget: 'tcp:*:22',
      },
      { kind: 'filesystem.read', match: '/a/b', description: 'x' },
      {
        kind: 'filesystem.write',
        match: 'tree:/a',
        description: 'x',
        grantClass: 'filesystem.tree.write.v1',
        grantTarget: '/a',
      },
      {
        kind: 'filesystem.read',
        match: '{"command":"x"}',
        description: 'x',
        grantClass: 'filesystem.host.read.v1',
        grantTarget: 'host:*',
      },
    ]
    await store.writeRules(shown)

    expect(await store.list()).toHaveLength(shown.length)
    for (const each of shown.slice(2))
      expect([each.match, await store.allows({ ...each, scope: '' })]).toEqual([each.match, expect.anything()])
    expect(await store.allows(command('make -j4 check'))).toBeDefined()
    expect(await store.allows(command('git log --oneline'))).toBeDefined()
    const rules = (await store.list()).map((listed) => listed.rule)
    expect(decideCommand('make -j4 check; make', { rules }).decision).toBe('ask')
  })
})
