import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { permissionStore, readDocument } from '../../src/permission.ts'
import { deny, writeRules } from './support/rules.ts'
import { fillDisk, smallDisk } from './support/small-disk.ts'
import { bundleChild, runChild } from './support/store-child.ts'
import { tempPath } from './support/temp-folder.ts'

const bundle = mkdtempSync(join(tmpdir(), 'looprig-bundle-'))
let script = ''
beforeAll(async () => {
  script = await bundleChild(bundle)
}, 60_000)
afterAll(() => rmSync(bundle, { recursive: true, force: true }))

describe('permissionStore beside other processes', () => {
  it('loses none of the rules that two processes add at once, 100 each, and is whole at every moment', async () => {
    const path = tempPath()
    writeRules(path, deny('rm'))
    let running = 2
    const done = ['left', 'right'].map((name) =>
      runChild(script, ['add', path, name, '100']).finally(() => {
        running -= 1
      }),
    )

    const store = await permissionStore({ path })
    let reads = 0
    let most = 0
    while (running > 0) {
      const rules = await store.list()
      expect(rules.length).toBeGreaterThanOrEqual(most)
      most = rules.length
      reads += 1
    }

    expect(await Promise.all(done)).toEqual([0, 0].map((code) => ({ code, signal: null, stderr: '' })))
    const said = readDocument(readFileSync(path, 'utf8')).map(({ match }) =>
      match.kind === 'exact' ? match.command : match.kind,
    )
    const added = ['left', 'right'].flatMap((name) => Array.from({ length: 100 }, (_, index) => `${name} ${index}`))
    expect(new Set(said)).toEqual(new Set(['family', ...added]))
    expect(said).toHaveLength(201)
    expect(reads).toBeGreaterThan(20)
    expect(readdirSync(dirname(path))).toEqual(['permissions.json'])
  }, 120_000)

  it.each(['write', 'sync', 'rename'])(
    'keeps the old file when its writer is killed before %s, and the next writer cleans up',
    async (step) => {
      const path = tempPath()
      writeRules(path, deny('rm'))
      const before = readFileSync(path)

      const { signal } = await runChild(script, ['die', path, step])

      expect(signal).toBe('SIGKILL')
      expect(readFileSync(path)).toEqual(before)
      const store = await permissionStore({ path })
      expect(await store.list()).toHaveLength(1)
      await store.add(deny('curl'))
      expect(await store.list()).toHaveLength(2)
      expect(readdirSync(dirname(path))).toEqual(['permissions.json'])
    },
    60_000,
  )

  it('has the new file when its writer is killed before the folder is synced', async () => {
    const path = tempPath()

    await runChild(script, ['die', path, 'sync_folder'])

    expect(readDocument(readFileSync(path, 'utf8'))).toHaveLength(1)
  })

  it('keeps the old file when the disk is full', async ({ skip }) => {
    const disk = smallDisk(64)
    if (disk === undefined) return skip('no file system can be mounted here')
    using folder = disk
    const path = join(folder.path, 'permissions.json')
    writeRules(path, deny('rm'))
    const before = readFileSync(path)
    fillDisk(folder.path)

    const { code, stderr } = await runChild(script, ['add', path, 'more', '1'])

    expect(code).toBe(1)
    expect(stderr).toContain('the permission file cannot be read or written')
    expect(stderr).not.toContain(folder.path)
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(folder.path).sort()).toEqual(['filler', 'permissions.json'])
  })
})
