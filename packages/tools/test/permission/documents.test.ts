import { describe, expect, it } from 'vitest'
import { type RuleError, type RuleMatch, readDocument, ruleId, writeDocument } from '../../src/permission.ts'

const matches: RuleMatch[] = [
  { kind: 'exact', command: 'npm run build && npm test' },
  { kind: 'wildcard' },
  { kind: 'family', tokens: ['git', 'log'] },
  { kind: 'network', host: 'example.com' },
  { kind: 'network', host: 'example.com', transport: 'tcp', port: 443 },
  { kind: 'network', host: '::1', transport: 'udp' },
  { kind: 'network_broad', command: 'curl x', target: 'tcp:*:22' },
  { kind: 'path', access: 'read', path: '/a/b' },
  { kind: 'path', access: 'write', path: '/a/b' },
  { kind: 'tree', access: 'read', root: '/' },
  { kind: 'tree', access: 'write', root: '/a' },
  { kind: 'host', access: 'read', command: 'x' },
  { kind: 'host', access: 'write', command: 'x' },
]

function document(...rules: readonly unknown[]): string {
  return JSON.stringify({ version: 2, normalization_version: 1, rules })
}

const exact = {
  effect: 'allow',
  capability: 'command.execute',
  enforcement_class: 'command.invoke.v1',
  match: { command: 'x' },
}
const family = (...tokens: readonly unknown[]) => ({
  ...exact,
  enforcement_class: 'command.invoke.shell-segment-glob.v1',
  match: { tokens, trailing_arguments: true },
})
const file = (path: string) => ({
  effect: 'deny',
  capability: 'filesystem.read',
  enforcement_class: 'filesystem.path.read.v1',
  match: { path },
})
const host = (name: unknown, rest: object = {}) => ({
  effect: 'allow',
  capability: 'network',
  enforcement_class: 'network.target.v1',
  match: { host: name, ...rest },
})

describe('the document of rules', () => {
  it('keeps every kind of rule, both effects and the order', () => {
    const rules = matches.flatMap((match) => [{ effect: 'allow', match } as const, { effect: 'deny', match } as const])

    expect(readDocument(writeDocument(rules))).toEqual(rules)
    expect(new Set(rules.map(ruleId)).size).toBe(rules.length)
  })

  it.each([
    ['no JSON', '{', 'malformed'],
    ['a list', '[]', 'malformed'],
    ['nothing', 'null', 'malformed'],
    ['no rules', '{"version":2,"normalization_version":1}', 'malformed'],
    ['an unknown field', '{"version":2,"normalization_version":1,"rules":[],"x":1}', 'malformed'],
    ['text behind it', '{"version":2,"normalization_version":1,"rules":[]} x', 'malformed'],
    ['version 1', '{"version":1,"rules":[]}', 'version_unsupported'],
    ['version 3', '{"version":3,"normalization_version":1,"rules":[]}', 'version_unsupported'],
    ['a version in words', '{"version":"2","normalization_version":1,"rules":[]}', 'malformed'],
    ['another normalization', '{"version":2,"normalization_version":2,"rules":[]}', 'version_unsupported'],
    ['a key twice', document(exact).replace('"effect":"allow"', '"effect":"deny","effect":"allow"'), 'malformed'],
    ['a key twice, escaped', document(exact).replace('"effect"', '"\\u0065ffect":"deny","effect"'), 'malformed'],
  ])('refuses %s', (_, text, code) => {
    expect(() => readDocument(text)).toThrow(expect.objectContaining({ code }))
  })

  it.each<[string, object, RuleError['code'], string]>([
    ['another effect', { ...exact, effect: 'ask' }, 'field_invalid', 'effect'],
    ['a field too many', { ...exact, id: 1 }, 'field_foreign', 'rule'],
    ['a field of another class', { ...exact, match: { command: 'x', path: '/a' } }, 'field_foreign', 'match.rule'],
    ['no command', { ...exact, match: {} }, 'field_missing', 'match.command'],
    [
      'a class of another capability',
      { ...file('/a'), capability: 'filesystem.write' },
      'class_foreign',
      'enforcement_class',
    ],
    ['an unknown class', { ...exact, enforcement_class: 'constructor' }, 'field_invalid', 'enforcement_class'],
    ['an unknown capability', { ...exact, capability: 'toString' }, 'field_invalid', 'capability'],
    ['a command with space around it', { ...exact, match: { command: ' x' } }, 'field_invalid', 'match.command'],
    ['a command of two lines', { ...exact, match: { command: 'x\ny' } }, 'field_invalid', 'match.command'],
    ['a family without tokens', family(), 'field_invalid', 'match.tokens'],
    ['a token with a glob', family('git', '*'), 'field_invalid', 'match.tokens.1'],
    ['a token with a space', family('git log'), 'field_invalid', 'match.tokens.0'],
    ['a token of a shell', family('a;b'), 'field_invalid', 'match.tokens.0'],
    [
      'a family without arguments',
      { ...family('git'), match: { tokens: ['git'] } },
      'field_invalid',
      'match.trailing_arguments',
    ],
    [
      'a wildcard with a field',
      { ...exact, enforcement_class: 'command.invoke.wildcard.v1' },
      'field_foreign',
      'match.rule',
    ],
    ['a relative path', file('a'), 'field_invalid', 'match.path'],
    ['a path with ..', file('/a/../b'), 'field_invalid', 'match.path'],
    ['a path that ends in a slash', file('/a/'), 'field_invalid', 'match.path'],
    ['a host in capitals', host('Example.com'), 'field_invalid', 'match.host'],
    ['a host with a port', host('a:1'), 'field_invalid', 'match.host'],
    ['a host with a user', host('u@a'), 'field_invalid', 'match.host'],
    ['a port too high', host('a', { port: 65_536 }), 'field_invalid', 'match.port'],
    ['an unknown transport', host('a', { transport: 'sctp' }), 'field_invalid', 'match.transport'],
  ])('refuses a whole document for a rule with %s', (_, bad, code, field) => {
    const read = () => readDocument(document(exact, bad))

    expect(read).toThrow(expect.objectContaining({ code: 'rule_invalid' }))
    expect(read).toThrow(expect.objectContaining({ cause: expect.objectContaining({ code, index: 1, field }) }))
  })

  it('takes port 0 for any port, as other programs write it', () => {
    expect(readDocument(document(host('a', { port: 0 })))).toEqual([
      { effect: 'allow', match: { kind: 'network', host: 'a' } },
    ])
  })
})
