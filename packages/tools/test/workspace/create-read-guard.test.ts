import { DefinitionBuildError } from '@looprig/tools'
import { createReadGuard } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { readGuard } from '../support/read-guard.ts'

describe('createReadGuard', () => {
  it.each([
    '/ws/.env',
    '/ws/a/b/.env.local',
    '/ws/.ssh',
    '/ws/.ssh/config',
    '/home/x/.ssh/keys/deep/file',
    '/ws/id_rsa',
    '/ws/certs/server.pem',
    '/ws/.git/../x.key',
  ])('denies %s', (path) => {
    expect(readGuard.deniedRead(path)).toBe(true)
  })

  it.each(['/ws/.env.example', '/ws/src/env.ts', '/ws/ssh/config', '/ws/id_rsa.pub', '/ws/pem', '/'])(
    'lets %s be read',
    (path) => {
      expect(readGuard.deniedRead(path)).toBe(false)
    },
  )

  it('denies a name in another case, which a case-insensitive volume would open', () => {
    expect(readGuard.deniedRead('/ws/.ENV')).toBe(true)
    expect(readGuard.deniedRead('/ws/.Ssh/Config')).toBe(true)
  })

  it('denies all below a folder whose own name is denied', () => {
    expect(readGuard.deniedRead('/ws/.env/inner/file.txt')).toBe(true)
  })

  it('opens no exception inside a denied folder', () => {
    expect(readGuard.deniedRead('/ws/.ssh/.env.example')).toBe(true)
  })

  it('sees through a folder with a line break in its name', () => {
    expect(readGuard.deniedRead('/ws/odd\nname/.env')).toBe(true)
  })

  it('matches a glob without a leading slash at any depth, and one with it from the top', () => {
    const guard = createReadGuard({ deny: ['secret.txt', '/etc/**'], maxReadBytes: 1 })

    expect(guard.deniedRead('/ws/a/secret.txt')).toBe(true)
    expect(guard.deniedRead('/etc/passwd')).toBe(true)
    expect(guard.deniedRead('/ws/etc/passwd')).toBe(false)
  })

  it.each([
    [{ deny: [''], maxReadBytes: 1 }, 'deny[0]'],
    [{ deny: ['a', '!'], maxReadBytes: 1 }, 'deny[1]'],
    [{ deny: ['!!a'], maxReadBytes: 1 }, 'deny[0]'],
    [{ deny: [], maxReadBytes: 0 }, 'maxReadBytes'],
    [{ deny: [], maxReadBytes: 1.5 }, 'maxReadBytes'],
  ])('refuses %j', (options, dependency) => {
    const make = () => createReadGuard(options)

    expect(make).toThrow(DefinitionBuildError)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_definition', dependency }))
  })
})
