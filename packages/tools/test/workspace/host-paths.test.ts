import { chmod, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOfResult } from '../support/call-tool.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'
import { loopOver } from '../support/write-loop.ts'

/** A loop whose tools may be asked for paths of the host, with a folder outside of its workspace. */
async function hostLoop() {
  const top = await tempWorkspace({ 'ws/a.txt': 'inside\n', 'host/b.txt': 'outside\n', 'host/.env': 'KEY' })
  const loop = await loopOver({ root: join(top, 'ws') }, { hostWrites: true })
  return { top, loop, host: join(top, 'host') }
}

describe('paths of the host, where an application allows them', () => {
  it('are not taken without the option: an absolute path is one below the workspace', async () => {
    const { top, host } = await hostLoop()
    const loop = await loopOver({ root: join(top, 'ws') })

    expect(await loop.call('ReadFile', { path: join(host, 'b.txt') })).toMatchObject({ code: 'not_found' })
    expect(await loop.call('ReadFile', { path: '/a.txt' })).toMatchObject({ isError: false })
  })

  it('are read with a requirement for the very path', async () => {
    const { loop, host } = await hostLoop()
    const { request, run } = await loop.prepare('ReadFile', { path: join(host, 'b.txt') })

    expect(request.request.requirements).toMatchObject([{ kind: 'filesystem.read', scope: join(host, 'b.txt') }])
    expect(textOfResult(await run())).toBe('   1\toutside')
  })

  it('never widen a relative path', async () => {
    const { loop } = await hostLoop()

    for (const [tool, args] of [
      ['ReadFile', {}],
      ['WriteFile', { content: 'x' }],
      ['EditFile', { old: 'a', new: 'b' }],
    ] as const) {
      expect(await loop.call(tool, { path: '../host/b.txt', ...args })).toMatchObject({ code: 'outside_workspace' })
    }
  })

  it('are of the workspace where they lie in it, and known as such', async () => {
    const { loop } = await hostLoop()
    await loop.call('ReadFile', { path: join(loop.root, 'a.txt') })

    const { request, run } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'new\n' })

    expect(request.request.requirements[0]?.candidates).toHaveLength(1)
    expect(await run()).toMatchObject({ isError: false })
  })

  it('are written with a requirement that no rule can cover, and say what will happen', async () => {
    const { loop, host } = await hostLoop()
    const create = await loop.prepare('WriteFile', { path: join(host, 'c.txt'), content: 'new\n' })
    const overwrite = await loop.prepare('WriteFile', { path: join(host, 'b.txt'), content: 'new\n' })

    const shown = [create, overwrite].map(({ request }) => request.request.requirements[0])
    expect(shown.map((requirement) => requirement?.description.split(':')[0])).toEqual([
      'create outside of the workspace',
      'overwrite outside of the workspace',
    ])
    expect(shown.every((requirement) => requirement?.candidates === undefined)).toBe(true)
    expect(create.request.preview?.text).toContain('+new')
  })

  it('are overwritten as they were at the preview, keep their mode, and are not remembered', async () => {
    const { loop, host } = await hostLoop()
    await chmod(join(host, 'b.txt'), 0o750)
    const [first, second] = await Promise.all(
      ['one\n', 'two\n'].map((content) => loop.prepare('WriteFile', { path: join(host, 'b.txt'), content })),
    )

    expect(await first?.run()).toMatchObject({ isError: false })
    expect(await second?.run()).toMatchObject({ code: 'stale_file' })
    expect(await readFile(join(host, 'b.txt'), 'utf8')).toBe('one\n')
    expect((await stat(join(host, 'b.txt'))).mode & 0o777).toBe(0o750)
  })

  it('ask to read as well where text is replaced', async () => {
    const { loop, host } = await hostLoop()

    const { request, run } = await loop.prepare('EditFile', {
      path: join(host, 'b.txt'),
      old: 'outside',
      new: 'edited',
    })

    expect(request.request.requirements.map(({ kind, candidates }) => [kind, candidates])).toEqual([
      ['filesystem.write', undefined],
      ['filesystem.read', undefined],
    ])
    expect(await run()).toMatchObject({ isError: false })
    expect(await readFile(join(host, 'b.txt'), 'utf8')).toBe('edited\n')
  })

  it('tell nothing of a file before an edit of it is approved', async () => {
    const { loop, host } = await hostLoop()

    const there = await loop.prepare('EditFile', { path: join(host, 'b.txt'), old: 'outside', new: 'x' })
    const notThere = await loop.prepare('EditFile', { path: join(host, 'b.txt'), old: 'not there', new: 'x' })

    expect(there.request.request).toEqual(notThere.request.request)
    expect(await notThere.run()).toMatchObject({ code: 'no_match' })
  })

  it('get no folders made, and no links followed', async () => {
    const { loop, host } = await hostLoop()
    await symlink('b.txt', join(host, 'link'))

    expect(await loop.call('WriteFile', { path: join(host, 'new/c.txt'), content: 'x' })).toMatchObject({
      code: 'not_found',
    })
    expect(await loop.call('WriteFile', { path: join(host, 'link'), content: 'x' })).toMatchObject({
      code: 'symlink_refused',
    })
    expect(await loop.call('ReadFile', { path: join(host, '.env') })).toMatchObject({ code: 'read_denied' })
    expect(await loop.call('WriteFile', { path: join(host, '.env'), content: 'x' })).toMatchObject({
      code: 'read_denied',
    })
  })
})
