import { describe, expect, it } from 'vitest'
import type { Requirement } from '../../src/index.ts'
import { judge } from '../../src/permission/store/judge.ts'
import type { RuleMatch } from '../../src/permission.ts'

function requirement(kind: string, match: string, grantClass?: string): Requirement {
  const grant = grantClass === undefined ? {} : { grantClass, grantTarget: 'x' }
  return { kind, scope: '', match, description: 'x', ...grant }
}

function says(match: RuleMatch, asked: Requirement): readonly string[] {
  return (['allow', 'deny'] as const).map((effect) => judge(asked, [{ effect, match }]).decision)
}

const target = (text: string, grantClass?: string) => requirement('network', `tcp://${text}`, grantClass)

describe('rules of the network', () => {
  it('serve Fetch, WebSearch and a command that asks for the same target', () => {
    const rule: RuleMatch = { kind: 'network', host: 'a', transport: 'tcp', port: 443 }

    for (const asked of [target('a:443'), target('a:443', 'network.proxy-target.v1')]) {
      expect(says(rule, asked)).toEqual(['allow', 'deny'])
    }
  })

  it('cover more when they name less', () => {
    const anyPort: RuleMatch = { kind: 'network', host: 'a' }

    expect(says(anyPort, target('a:80'))).toEqual(['allow', 'deny'])
    expect(says(anyPort, requirement('network', 'udp://a:53'))).toEqual(['allow', 'deny'])
    expect(says({ ...anyPort, transport: 'udp' }, target('a:80'))).toEqual(['ask', 'ask'])
    expect(says({ ...anyPort, port: 443 }, target('a:80'))).toEqual(['ask', 'ask'])
  })

  it.each(['b.a:443', 'ab:443', 'a.b:443', 'a:0', 'a:99999', 'a', ':443'])(
    'do not cover %j by another host',
    (text) => {
      expect(says({ kind: 'network', host: 'a' }, target(text))).toEqual(['ask', 'ask'])
    },
  )

  it('find an address of IPv6 with and without brackets', () => {
    for (const text of ['[::1]:443', '::1:443']) {
      expect(says({ kind: 'network', host: '::1', port: 443 }, target(text))).toEqual(['allow', 'deny'])
    }
  })

  it('never let a rule for one host cover all hosts, but let a denial of one host deny all of them', () => {
    const broad = requirement('network', '{"command":"c","target":"tcp:*:443"}', 'network.broad.v1')

    expect(says({ kind: 'network', host: 'a' }, broad)).toEqual(['ask', 'deny'])
  })

  it('bind broad access to one command and one target', () => {
    const rule: RuleMatch = { kind: 'network_broad', command: 'c', target: 'tcp:*:443' }
    const broad = (match: string) => requirement('network', match, 'network.broad.v1')

    expect(says(rule, broad('{"command":"c","target":"tcp:*:443"}'))).toEqual(['allow', 'deny'])
    for (const other of [
      '{"command":"d","target":"tcp:*:443"}',
      '{"command":"c","target":"tcp:*:80"}',
      '{"target":"tcp:*:443","command":"c"}',
      '{"command":"c","target":"tcp:*:443","x":1}',
      '{"command":"c", "target":"tcp:*:443"}',
      'c',
    ]) {
      expect([other, ...says(rule, broad(other))]).toEqual([other, 'ask', 'ask'])
    }
  })
})

describe('rules of files', () => {
  const read = (match: string, grantClass?: string) => requirement('filesystem.read', match, grantClass)

  it('cover one path and nothing beside it', () => {
    const rule: RuleMatch = { kind: 'path', access: 'read', path: '/a/b' }

    expect(says(rule, read('/a/b'))).toEqual(['allow', 'deny'])
    expect(says(rule, read('/a/b', 'filesystem.path.read.v1'))).toEqual(['allow', 'deny'])
    for (const other of ['/a/bc', '/a/b/c', '/a', '/a/../a/b', 'a/b'])
      expect([other, ...says(rule, read(other))]).toEqual([other, 'ask', 'ask'])
    expect(says(rule, requirement('filesystem.write', '/a/b'))).toEqual(['ask', 'ask'])
  })

  it('cover a tree at and below its root, and smaller trees in it', () => {
    const rule: RuleMatch = { kind: 'tree', access: 'read', root: '/a' }

    for (const inside of ['/a', '/a/b', 'tree:/a', 'tree:/a/b'])
      expect([inside, ...says(rule, read(inside))]).toEqual([inside, 'allow', 'deny'])
    for (const outside of ['/ab', '/', '/a/../b', 'tree:/ab'])
      expect([outside, ...says(rule, read(outside))]).toEqual([outside, 'ask', 'ask'])
  })

  it('let a denial in a tree deny the whole tree, which would take it along', () => {
    expect(says({ kind: 'path', access: 'read', path: '/a/.env' }, read('tree:/a'))).toEqual(['ask', 'deny'])
    expect(says({ kind: 'tree', access: 'read', root: '/a/b' }, read('tree:/a'))).toEqual(['ask', 'deny'])
    expect(
      says({ kind: 'tree', access: 'read', root: '/a' }, read('{"command":"c"}', 'filesystem.host.read.v1')),
    ).toEqual(['ask', 'deny'])
  })

  it('bind all of the host to one command', () => {
    const rule: RuleMatch = { kind: 'host', access: 'read', command: 'c' }

    expect(says(rule, read('{"command":"c"}', 'filesystem.host.read.v1'))).toEqual(['allow', 'deny'])
    expect(says(rule, read('{"command":"d"}', 'filesystem.host.read.v1'))).toEqual(['ask', 'ask'])
    expect(says(rule, read('{"command":"c"}'))).toEqual(['ask', 'ask'])
  })

  it('let a denial count before a permission, in whatever order they stand', () => {
    const rules = [
      { effect: 'allow', match: { kind: 'tree', access: 'read', root: '/a' } },
      { effect: 'deny', match: { kind: 'path', access: 'read', path: '/a/.env' } },
    ] as const

    for (const each of [rules, rules.toReversed()]) {
      expect(judge(read('/a/.env'), each).decision).toBe('deny')
      expect(judge(read('/a/b'), each).decision).toBe('allow')
    }
  })
})
