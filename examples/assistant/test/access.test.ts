import { join } from 'node:path'
import { readRequirement, readTreeRequirement, writeRequirement } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { assistantReadGuard, workspaceReadAccess } from '../src/access.ts'

describe('workspaceReadAccess', () => {
  const access = workspaceReadAccess('/ws')

  it('allows what is inside the workspace', () => {
    expect(access.accessFor(readRequirement('/ws/src/a.ts'))).toBe('allow')
    expect(access.accessFor(readTreeRequirement('/ws'))).toBe('allow')
  })

  it('denies what is outside, also where the path begins the same', () => {
    for (const path of ['/ws-victim/a', '/etc/passwd', '/', '/ws/../etc/passwd', '', 'a.ts']) {
      expect(access.accessFor(readRequirement(path, 'x'))).toBe('deny')
    }
  })

  it('answers for nothing but reading', () => {
    expect(access.kinds).toEqual(['filesystem.read'])
    expect(access.kinds).not.toContain(writeRequirement('/ws/a').kind)
  })
})

describe('assistantReadGuard', () => {
  const guard = assistantReadGuard('/ws/data')

  it('keeps secrets at any depth and in any case', () => {
    const names = ['.env', '.env.local', 'a/.ENV', '.ssh/config', 'a/.aws/x/y', '.gnupg/k', '.netrc', '.npmrc']
    const more = ['.git-credentials', 'id_rsa', 'a/id_ed25519', 'a/server.pem', 'x.KEY', 'x.p12', 'x.pfx']

    for (const name of [...names, ...more]) expect([name, guard.deniedRead(`/ws/${name}`)]).toEqual([name, true])
  })

  it('lets everything else be read', () => {
    for (const name of ['.env.example', 'src/a.ts', 'id_rsa.pub', 'keys.ts', 'environment']) {
      expect([name, guard.deniedRead(`/ws/${name}`)]).toEqual([name, false])
    }
    expect(guard.maxReadBytes).toBe(256 * 1024)
  })

  it('keeps the sessions when the data folder lies in the workspace', () => {
    for (const name of ['sessions.db', 'sessions.db-wal', 'locks', 'locks/x.lock']) {
      expect([name, guard.deniedRead(join('/ws/data', name))]).toEqual([name, true])
    }
    expect(guard.deniedRead('/ws/data/notes.md')).toBe(false)
  })
})
