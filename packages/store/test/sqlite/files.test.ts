import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { StoreError } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { appendIds, idsOf, openBeside, openStore, storePath } from '../support/sqlite-fixture.ts'

function refusal(path: string): StoreError {
  try {
    sqliteStore({ path })
  } catch (error) {
    return error as StoreError // every assertion below reads its code first
  }
  throw new Error('the store opened')
}

/** Runs as the owner of a folder and its files, without the rights of root, for whom no file is read-only. */
function unprivileged<T>(folder: string, work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  const nobody = 65_534
  for (const file of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(file, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

describe('sqliteStore on a file of its own', () => {
  it('lets only the owner read the file, its log and the locks', async () => {
    const path = storePath()
    const store = openStore(path)
    await appendIds(store, await store.leases.acquire('a'), 'one')

    const modes = ['', '-wal', '-shm'].map((end) => statSync(`${path}${end}`).mode & 0o777)
    const locks = join(dirname(path), 'locks')

    expect(modes).toEqual([0o600, 0o600, 0o600])
    expect(statSync(locks).mode & 0o777).toBe(0o700)
    expect(statSync(join(locks, 'a.lock')).mode & 0o777).toBe(0o600)
  })

  it('takes an empty file for a new store', () => {
    const path = storePath()
    writeFileSync(path, '')

    expect(() => openStore(path)).not.toThrow()
  })

  it.each(['file:x?mode=ro', 'a#b?c%41.db', 'http:', '\u{1f600}.db'])(
    'takes %s for a name and not for an address',
    (name) => {
      const path = join(dirname(storePath()), name)

      openStore(path)

      expect(statSync(path).isFile()).toBe(true)
    },
  )

  it('shares its leases between all names of the file', async () => {
    const path = storePath()
    const elsewhere = storePath()
    const store = openStore(path)
    symlinkSync(path, elsewhere)
    await store.leases.acquire('a')

    await expect(openStore(elsewhere).leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
  })

  it('keeps its leases when the same file is opened and closed again', async () => {
    const path = storePath()
    const store = openStore(path)
    await store.leases.acquire('a')
    await openStore(path).close()

    await expect(openStore(path).leases.acquire('a')).rejects.toMatchObject({ code: 'lease_held' })
    expect(await store.leases.isHeld('a')).toBe(true)
  })
})

describe('sqliteStore on a file that it cannot use', () => {
  it.each([
    ['a text', 'SENTINEL is no database.\r\n'],
    ['one byte', 'x'],
    ['a long text', 'SENTINEL '.repeat(10_000)],
  ])('leaves %s as it is', (_, text) => {
    const path = storePath()
    writeFileSync(path, text)

    const error = refusal(path)

    expect(error.code).toBe('unreadable')
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(readdirSync(dirname(path))).toEqual(['sessions.db'])
  })

  it.each([
    ['the database of another program', 'CREATE TABLE notes (text)'],
    ['a database with a version', 'PRAGMA user_version = 1'],
    ['a store of a newer version', 'PRAGMA application_id = 0x4c524947; PRAGMA user_version = 3'],
    ['a store without a version', 'PRAGMA application_id = 0x4c524947'],
  ])('leaves %s as it is', (_, sql) => {
    const path = storePath()
    writeFileSync(path, '')
    const maker = openBeside(path)
    maker.exec(sql)
    maker.close()
    const before = readFileSync(path)

    expect(refusal(path).code).toBe('unreadable')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path), ''],
    ['a file in a file', (path: string) => writeFileSync(path, ''), '/sessions.db'],
    ['a file in a folder that is not there', () => undefined, '/none/sessions.db'],
    ['a name that is too long', () => undefined, 'x'.repeat(5_000)],
  ])('refuses %s without naming it', (_, make, end) => {
    const path = storePath()
    make(path)

    const error = refusal(`${path}${end}`)

    expect(error.code).toBe('unreadable')
    expect(`${error.message} ${error.cause}`).not.toContain(dirname(path))
  })

  it.each(['', ':memory:', 'a\0b'])('refuses the path %j', (path) => {
    expect(refusal(path)).toMatchObject({ code: 'invalid', field: 'path' })
  })

  it('throws read_only for a file that it may not write', async () => {
    const path = storePath()
    await openStore(path).close()
    chmodSync(path, 0o400)

    const error = unprivileged(dirname(path), () => refusal(path))

    expect(error.code).toBe('read_only')
  })

  it('throws read_only for a folder in which it may not make a file', () => {
    const path = storePath()
    chmodSync(dirname(path), 0o500)

    const error = unprivileged(dirname(path), () => refusal(path))

    expect(error.code).toBe('read_only')
  })

  it('refuses a lease when the folder of the locks is a file', async () => {
    const path = storePath()
    writeFileSync(join(dirname(path), 'locks'), '')
    const store = openStore(path)

    await expect(store.leases.acquire('a')).rejects.toMatchObject({ code: 'unreadable', session: 'a' })
    expect(await idsOf(store)).toEqual([])
  })
})
