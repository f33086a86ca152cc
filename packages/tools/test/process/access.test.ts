import { type JsonObject, parseId, uuidV7 } from '@looprig/core'
import { buildTools, validateRequest } from '@looprig/tools'
import { bashDefinition } from '@looprig/tools/process'
import { describe, expect, it } from 'vitest'
import { openSession, testRunner } from './support/process-session.ts'

const now = () => 1_700_000_000_000

async function requestOf(args: JsonObject) {
  const session = await openSession()
  const { root, sessionId, loopId, resources } = session
  const definition = bashDefinition({ resolver: testRunner }, { now })
  const [tool] = await buildTools(definition, { sessionId, loopId, workspace: { root }, processes: { resources } })
  const context = {
    executionId: parseId('ToolExecutionId', uuidV7()),
    toolUseId: 'c',
    signal: new AbortController().signal,
  }
  const prepared = await tool?.prepareCall(context, JSON.stringify(args))
  if (prepared === undefined) throw new Error('not prepared')
  validateRequest(prepared.request)
  return { request: prepared.request, root, rest: prepared.request.requirements.slice(1) }
}

describe('the access that a command declares', () => {
  it('is asked for in one request, with the command first and 15 minutes to start', async () => {
    const { request, root } = await requestOf({
      command: 'make',
      access: { network: [{ host: 'h.example', port: 443 }], write: [{ scope: 'tree', path: 'out' }] },
    })

    expect(request).toMatchObject({ command: 'make', workingDirectory: root, expiresAtMs: now() + 900_000 })
    expect(request.requirements.map(({ kind }) => kind)).toEqual(['command.execute', 'network', 'filesystem.write'])
  })

  it.each([
    [{ host: 'Example.COM.', port: 443 }, 'tcp://example.com:443', 'tcp:example.com:443'],
    [{ host: '10.0.0.1', port: 22 }, 'tcp://10.0.0.1:22', 'tcp:10.0.0.1:22'],
    [{ host: '2001:DB8:0:0::1', port: 80 }, 'tcp://2001:db8::1:80', 'tcp:[2001:db8::1]:80'],
    [{ host: '[::1]', port: 80, transport: 'tcp' }, 'tcp://::1:80', 'tcp:[::1]:80'],
  ])('to a network target %j has one form', async (item, match, grantTarget) => {
    const { rest } = await requestOf({ command: 'x', access: { network: [item] } })

    const pair = { match, grantClass: 'network.proxy-target.v1', grantTarget }
    expect(rest).toEqual([expect.objectContaining({ kind: 'network', scope: '', ...pair })])
    expect(rest[0]?.candidates).toEqual([expect.objectContaining({ kind: 'network', ...pair })])
  })

  it('to any host is bound to the very command', async () => {
    const { rest } = await requestOf({ command: 'x "y"', access: { network: [{ port: 80 }] } })

    expect(rest).toEqual([
      expect.objectContaining({
        kind: 'network',
        scope: '',
        match: '{"command":"x \\"y\\"","target":"tcp:*:80"}',
        grantClass: 'network.broad.v1',
        grantTarget: 'tcp:*:80',
      }),
    ])
  })

  it('to files may lie outside of the workspace, and is clean and absolute', async () => {
    const { rest, root } = await requestOf({
      command: 'x',
      access: {
        read: [{ scope: 'path', path: 'a//b/../c' }, { scope: 'tree', path: '/var/lib/' }, { scope: 'host' }],
        write: [{ scope: 'path', path: '../sibling' }],
      },
    })
    const parent = root.slice(0, root.lastIndexOf('/'))

    expect(
      rest.map(({ kind, scope, match, grantClass, grantTarget }) => [kind, scope, match, grantClass, grantTarget]),
    ).toEqual([
      ['filesystem.read', `${root}/a/c`, `${root}/a/c`, 'filesystem.path.read.v1', `${root}/a/c`],
      ['filesystem.read', 'tree:/var/lib', 'tree:/var/lib', 'filesystem.tree.read.v1', '/var/lib'],
      ['filesystem.read', 'host:*', '{"command":"x"}', 'filesystem.host.read.v1', 'host:*'],
      ['filesystem.write', `${parent}/sibling`, `${parent}/sibling`, 'filesystem.path.write.v1', `${parent}/sibling`],
    ])
  })

  it('is asked for once where it is declared twice', async () => {
    const { rest } = await requestOf({
      command: 'x',
      access: {
        network: [
          { host: 'h', port: 1 },
          { host: 'H.', port: 1 },
        ],
        read: [
          { scope: 'path', path: 'a' },
          { scope: 'path', path: './a' },
        ],
      },
    })

    expect(rest).toHaveLength(2)
  })

  it.each([
    { network: [{ host: 'h' }] },
    { network: [{ port: 0 }] },
    { network: [{ port: 65_536 }] },
    { network: [{ host: 'a b', port: 1 }] },
    { network: [{ host: '-x.example', port: 1 }] },
    { network: [{ host: 'x/../y', port: 1 }] },
    { network: [{ host: 'user@h', port: 1 }] },
    { network: [{ host: '*.example', port: 1 }] },
    { network: [{ host: '2130706433', port: 1 }] },
    { network: [{ host: '0x7f.1', port: 1 }] },
    { network: [{ host: 'exämple.org', port: 1 }] },
    { network: [{ host: 'fe80::1%eth0', port: 1 }] },
    { network: [{ host: 'h', port: 1, transport: 'udp' }] },
    { read: [{ scope: 'path' }] },
    { read: [{ scope: 'host', path: '/' }] },
    { read: [{ scope: 'path', path: 'a\nb' }] },
    { read: [{ scope: 'path', path: 'a\0b' }] },
    { write: [{ scope: 'tree', path: '' }] },
    { write: [{ scope: 'glob', path: 'x' }] },
    { write: Array.from({ length: 33 }, () => ({ scope: 'host' })) },
    { execute: [] },
  ])('%j is refused', async (access) => {
    await expect(requestOf({ command: 'x', access } as JsonObject)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })
})

describe('the rule that an approval of a command may save', () => {
  const candidatesOf = async (command: string) => (await requestOf({ command })).request.requirements[0]?.candidates

  it('is a family, or the command itself', async () => {
    const grant = { grantClass: 'command.start.v1' }

    expect(await candidatesOf('git log -p')).toMatchObject([
      { match: 'Bash(git log:*)', ...grant, grantTarget: 'git log -p' },
    ])
    expect(await candidatesOf('make test')).toMatchObject([{ match: 'make test', ...grant, grantTarget: 'make test' }])
  })

  it.each(['Bash(*)', 'sh -c ls', 'sudo ls', 'python3 -c 1'])('is none for %s', async (command) => {
    expect(await candidatesOf(command)).toEqual([])
  })
})
