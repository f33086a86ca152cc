import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { globDefinition, grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { openRegularFile } from '../../src/files/open-regular-file.ts'
import { buildTool, invokePrepared, newContext } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { addFiles, tempWorkspace } from '../support/temp-workspace.ts'

/** A workspace with a folder beside it that holds a secret under the same name. */
async function workspaceBesideSecret() {
  const top = await tempWorkspace({ 'ws/dir/a.txt': 'approved needle\n', 'secret/a.txt': 'SENTINEL needle\n' })
  return { top, root: join(top, 'ws') }
}

const definitions = [
  ['ReadFile', readFileDefinition({ readGuard }), { path: 'dir/a.txt' }],
  ['Glob', globDefinition({ readGuard }), { pattern: '*', root: 'dir' }],
  ['Grep', grepDefinition({ readGuard }, { ripgrep: false }), { pattern: 'needle', path: 'dir' }],
] as const

describe('what was approved is what is read', () => {
  it.each(definitions)(
    '%s refuses a parent that became a link out of the workspace',
    async (_name, definition, args) => {
      const { top, root } = await workspaceBesideSecret()
      const tool = await buildTool(definition, root)
      const context = newContext()
      const prepared = await tool.prepareCall(context, JSON.stringify(args))

      await rename(join(root, 'dir'), join(top, 'moved'))
      await symlink(join(top, 'secret'), join(root, 'dir'))
      const result = await invokePrepared(tool, context, prepared)

      expect(result).toMatchObject({ isError: true, code: 'resolution_changed' })
      expect(JSON.stringify(result)).not.toContain('SENTINEL')
    },
  )

  it.each(definitions)(
    '%s refuses a parent that became a link inside the workspace',
    async (_name, definition, args) => {
      const { root } = await workspaceBesideSecret()
      await addFiles(root, { 'other/a.txt': 'other needle' })
      const tool = await buildTool(definition, root)
      const context = newContext()
      const prepared = await tool.prepareCall(context, JSON.stringify(args))

      await rm(join(root, 'dir'), { recursive: true })
      await symlink('other', join(root, 'dir'))

      expect(await invokePrepared(tool, context, prepared)).toMatchObject({ code: 'resolution_changed' })
    },
  )

  it('ReadFile refuses a file that became a link', async () => {
    const { top, root } = await workspaceBesideSecret()
    const tool = await buildTool(readFileDefinition({ readGuard }), root)
    const context = newContext()
    const prepared = await tool.prepareCall(context, '{"path":"dir/a.txt"}')

    await rm(join(root, 'dir/a.txt'))
    await symlink(join(top, 'secret/a.txt'), join(root, 'dir/a.txt'))
    const result = await invokePrepared(tool, context, prepared)

    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
  })

  it('Grep refuses a folder that became a file', async () => {
    const { root } = await workspaceBesideSecret()
    const tool = await buildTool(grepDefinition({ readGuard }, { ripgrep: false }), root)
    const context = newContext()
    const prepared = await tool.prepareCall(context, '{"pattern":"needle","path":"dir"}')

    await rm(join(root, 'dir'), { recursive: true })
    await writeFile(join(root, 'dir'), 'needle')

    expect(await invokePrepared(tool, context, prepared)).toMatchObject({ code: 'resolution_changed' })
  })

  it('needs a read of the file, and a read of the tree for a search', async () => {
    const { root } = await workspaceBesideSecret()
    const requirements = await Promise.all(
      definitions.map(async ([, definition, args]) => {
        const tool = await buildTool(definition, root)
        return (await tool.prepareCall(newContext(), JSON.stringify(args))).request.requirements
      }),
    )

    expect(requirements.flat().map(({ kind, match, description }) => [kind, match, description])).toEqual([
      ['filesystem.read', join(root, 'dir/a.txt'), 'read dir/a.txt'],
      ['filesystem.read', `tree:${join(root, 'dir')}`, 'read files under dir'],
      ['filesystem.read', `tree:${join(root, 'dir')}`, 'read files under dir'],
    ])
    expect(requirements.flat().every(({ grantClass }) => grantClass === undefined)).toBe(true)
  })

  it('Grep over one file needs a read of that file', async () => {
    const { root } = await workspaceBesideSecret()
    const tool = await buildTool(grepDefinition({ readGuard }), root)

    const { request } = await tool.prepareCall(newContext(), '{"pattern":"x","path":"dir/a.txt"}')

    expect(request.requirements[0]?.match).toBe(join(root, 'dir/a.txt'))
  })

  it('shows a person one line, whatever the path holds', async () => {
    const { root } = await workspaceBesideSecret()
    const tool = await buildTool(readFileDefinition({ readGuard }), root)

    const { request } = await tool.prepareCall(newContext(), JSON.stringify({ path: 'a\n\u001b[2Kread b' }))

    expect(request.requirements[0]?.description).toBe('read a\ufffd\ufffd[2Kread b')
    expect(request.summary).not.toContain('\n')
  })
})

describe('openRegularFile', () => {
  it('refuses a file that is not the canonical one, when a parent is swapped at the last moment', async () => {
    const { top, root } = await workspaceBesideSecret()
    await mkdir(join(root, 'real'))
    await symlink(join(top, 'secret'), join(root, 'swapped'))

    const opened = openRegularFile(root, join(root, 'swapped/a.txt'), 'swapped/a.txt')

    await expect(opened).rejects.toMatchObject({ code: 'resolution_changed' })
  })
})
