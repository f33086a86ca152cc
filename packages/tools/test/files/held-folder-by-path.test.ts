import { readdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdFolder } from '../../src/files/held-folder.ts'
import { openRegularFile } from '../../src/files/open-regular-file.ts'
import { createFile } from '../../src/files/publish-file.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'
import { loopOver } from '../support/write-loop.ts'

const display = 'dir/a.txt'
const platform = process.platform

/** A system that has no paths for descriptors, before this file holds its first folder. */
beforeAll(() => Object.defineProperty(process, 'platform', { value: 'darwin' }))
afterAll(() => Object.defineProperty(process, 'platform', { value: platform }))

describe('holdFolder, where descriptors have no paths', () => {
  it('names entries by the path of the folder, and makes and takes away what is missing', async () => {
    const root = await tempWorkspace({ 'dir/a.txt': 'a' })
    const folder = await holdFolder(root, join(root, 'dir/x/y'), { display, create: true })

    expect(folder.at('b.txt')).toBe(join(root, 'dir/x/y/b.txt'))
    expect(await folder.isInPlace()).toBe(true)
    await folder.discard()
    await folder.close()
    expect(await readdir(join(root, 'dir'))).toEqual(['a.txt'])
  })

  it('refuses a link on the way, and sees that the folder was swapped', async () => {
    const top = await tempWorkspace({ 'ws/dir/a.txt': 'a', 'secret/a.txt': 'SENTINEL' })
    const root = join(top, 'ws')
    const folder = await holdFolder(root, join(root, 'dir'), { display })
    await rename(join(root, 'dir'), join(top, 'moved'))
    await symlink(join(top, 'secret'), join(root, 'dir'))

    expect(await folder.isInPlace()).toBe(false)
    await expect(holdFolder(root, join(root, 'dir'), { display })).rejects.toMatchObject({ code: 'resolution_changed' })
    await expect(openRegularFile(root, join(root, 'dir/a.txt'), display)).rejects.toMatchObject({
      code: 'resolution_changed',
    })
    await rm(join(root, 'dir'))
    await expect(holdFolder(root, join(root, 'dir'), { display })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('publishes a file, and the tools read, write and edit', async () => {
    const root = await tempWorkspace({ 'dir/a.txt': 'a\n' })
    const folder = await holdFolder(root, join(root, 'dir'), { display })
    expect(await createFile({ folder, name: 'b.txt', display, bytes: Buffer.from('b') })).toEqual({ isDurable: true })
    await folder.close()
    const loop = await loopOver({ root })

    expect(await loop.call('ReadFile', { path: 'dir/a.txt' })).toMatchObject({ isError: false })
    expect(await loop.call('EditFile', { path: 'dir/a.txt', old: 'a', new: 'b' })).toMatchObject({ isError: false })
    expect(await loop.call('WriteFile', { path: 'new/c.txt', content: 'c' })).toMatchObject({ isError: false })
    expect(await loop.text('new/c.txt')).toBe('c')
    expect(await loop.call('Glob', { pattern: '**' })).toMatchObject({
      details: { files: ['dir/a.txt', 'dir/b.txt', 'new/c.txt'] },
    })
  })
})
