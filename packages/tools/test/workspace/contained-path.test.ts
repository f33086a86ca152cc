import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { containedPath } from '../../src/files/contained-path.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const outside = expect.objectContaining({ code: 'outside_workspace' })

describe('containedPath', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['./dir/../a.txt', 'a.txt'],
    ['/a.txt', 'a.txt'],
    ['/etc/passwd', 'etc/passwd'],
    ['/../x', 'x'],
    ['dir/missing/deep.txt', 'dir/missing/deep.txt'],
    ['a.txt/below', 'a.txt/below'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['dir/', 'dir'],
    ['.', ''],
  ])('keeps %s inside', async (input, expected) => {
    const root = await tempWorkspace({ 'a.txt': '', 'dir/b.txt': '' })

    const { canonical } = await containedPath(root, input)

    expect(canonical).toBe(join(root, expected))
  })

  it.each(['..', '../x', 'dir/../../x', '../ws-victim/f'])('refuses %s', async (input) => {
    const root = await tempWorkspace({ 'ws/dir/b.txt': '', 'ws-victim/f': '' })

    await expect(containedPath(join(root, 'ws'), input)).rejects.toEqual(outside)
  })

  it.each(['esc', 'esc/passwd', 'esc/no-such-file', 'esc/passwd/x', 'dangling', 'dangling/x', 'loop', 'loop/x'])(
    'refuses the link %s with one answer, whatever is behind it',
    async (input) => {
      const root = await tempWorkspace()
      await symlink('/etc', join(root, 'esc'))
      await symlink('/no/such/place', join(root, 'dangling'))
      await symlink('loop', join(root, 'loop'))

      const error = await containedPath(root, input).catch((thrown: Error) => thrown)

      expect(error).toEqual(outside)
      expect(String(error)).toBe(`ToolError: not a path inside the workspace: ${input}`)
    },
  )

  it('follows a link that stays inside and keeps the name under which it was called', async () => {
    const root = await tempWorkspace({ 'dir/b.txt': '' })
    await symlink('dir', join(root, 'link'))

    const path = await containedPath(root, 'link/b.txt')

    expect(path).toEqual({ root, lexical: join(root, 'link/b.txt'), canonical: join(root, 'dir/b.txt') })
  })

  it('works with a root that is a link, and still refuses to leave it', async () => {
    const top = await tempWorkspace({ 'real/a.txt': '' })
    await mkdir(join(top, 'other'))
    await symlink('real', join(top, 'root'))

    const { canonical } = await containedPath(join(top, 'root'), 'a.txt')

    expect(canonical).toBe(join(top, 'real/a.txt'))
    await expect(containedPath(join(top, 'root'), '../other')).rejects.toEqual(outside)
  })

  it('says that a workspace is gone without telling where it was', async () => {
    const error = await containedPath('/no/such/root', 'a').catch((thrown: Error) => thrown)

    expect(error).toMatchObject({ code: 'unreadable' })
    expect(String(error)).not.toContain('/no/such')
  })
})
