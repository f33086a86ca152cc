import { mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addFiles, tempWorkspace } from '../../support/temp-workspace.ts'
import { loopOver } from '../../support/write-loop.ts'

/** A loop that has read its file, in a workspace beside a folder that must not be touched. */
async function besideSecret() {
  const top = await tempWorkspace({ 'ws/dir/a.txt': 'approved\n', 'secret/a.txt': 'approved\n' })
  const loop = await loopOver({ root: join(top, 'ws') })
  await loop.call('ReadFile', { path: 'dir/a.txt' })
  return { top, loop, secret: join(top, 'secret') }
}

const calls = [
  ['WriteFile', { path: 'dir/a.txt', content: 'new\n' }],
  ['WriteFile', { path: 'dir/new/b.txt', content: 'new\n' }],
  ['EditFile', { path: 'dir/a.txt', old: 'approved', new: 'changed' }],
] as const

describe('what was approved is what is written', () => {
  it.each(calls)('%s %j refuses a parent that became a link out of the workspace', async (tool, args) => {
    const { top, loop, secret } = await besideSecret()
    const { run } = await loop.prepare(tool, args)

    await rename(join(loop.root, 'dir'), join(top, 'moved'))
    await symlink(secret, join(loop.root, 'dir'))

    expect(await run()).toMatchObject({ isError: true, code: 'resolution_changed' })
    expect(await readdir(secret)).toEqual(['a.txt'])
    expect(await readFile(join(secret, 'a.txt'), 'utf8')).toBe('approved\n')
    expect(await readFile(join(top, 'moved/a.txt'), 'utf8')).toBe('approved\n')
  })

  it.each(calls)('%s %j refuses a parent that became a link inside the workspace', async (tool, args) => {
    const { loop } = await besideSecret()
    await addFiles(loop.root, { 'other/a.txt': 'approved\n' })
    const { run } = await loop.prepare(tool, args)

    await rm(join(loop.root, 'dir'), { recursive: true })
    await symlink('other', join(loop.root, 'dir'))

    expect(await run()).toMatchObject({ isError: true, code: 'resolution_changed' })
    expect(await loop.text('other/a.txt')).toBe('approved\n')
    expect(loop.names('other')).toEqual(['a.txt'])
  })

  it.each(calls.filter(([, { path }]) => path === 'dir/a.txt'))(
    '%s refuses a file that became a link',
    async (tool, args) => {
      const { loop, secret } = await besideSecret()
      const { run } = await loop.prepare(tool, args)

      await rm(join(loop.root, 'dir/a.txt'))
      await symlink(join(secret, 'a.txt'), join(loop.root, 'dir/a.txt'))

      expect((await run()).isError).toBe(true)
      expect(await readFile(join(secret, 'a.txt'), 'utf8')).toBe('approved\n')
    },
  )

  it.each(calls.filter(([, { path }]) => path === 'dir/a.txt'))(
    '%s refuses a file that became a folder',
    async (tool, args) => {
      const { loop } = await besideSecret()
      const { run } = await loop.prepare(tool, args)

      await rm(join(loop.root, 'dir/a.txt'))
      await mkdir(join(loop.root, 'dir/a.txt'))

      expect(await run()).toMatchObject({ isError: true, code: 'not_a_file' })
    },
  )

  it('runs what was prepared, whatever the arguments are by then', async () => {
    const { loop } = await besideSecret()
    const args = { path: 'dir/a.txt', content: 'one\n' }
    const { run } = await loop.prepare('WriteFile', args)
    args.content = 'two\n'
    args.path = 'other.txt'

    await run()

    expect(await loop.text('dir/a.txt')).toBe('one\n')
    expect(loop.names()).toEqual(['dir'])
  })
})
