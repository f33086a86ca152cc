import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { walkFiles } from '../../src/workspace/walk-files.ts'
import { readGuard } from '../support/read-guard.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const signal = new AbortController().signal

describe('walkFiles', () => {
  it('visits no folder that is noise, however much is in it, unless it is told to', async () => {
    const root = await tempWorkspace({
      'src/a.ts': '',
      ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`node_modules/p${index}/x.ts`, ''])),
    })
    const visited: string[] = []
    const everything: string[] = []

    const skipped = await walkFiles(root, { guard: readGuard, signal }, (folder) => visited.push(folder))
    await walkFiles(root, { guard: readGuard, signal, includeNoise: true }, (folder) => everything.push(folder))

    expect([visited, [...skipped]]).toEqual([['src/'], ['node_modules']])
    expect(everything).toHaveLength(301)
  })

  it('does not loop through links to itself', async () => {
    const root = await tempWorkspace({ 'a/b/c.txt': '' })
    await symlink('..', join(root, 'a/up'))
    await symlink(root, join(root, 'a/b/root'))
    const found: string[] = []

    await walkFiles(root, { guard: readGuard, signal }, (folder, names) => found.push(...names.map((n) => folder + n)))

    expect(found).toEqual(['a/b/c.txt'])
  })

  it('stops when it is aborted, between two folders', async () => {
    const root = await tempWorkspace()
    for (let index = 0; index < 50; index += 1) await mkdir(join(root, `${index}`))
    const controller = new AbortController()
    const files = await tempWorkspace({ a: '', 'b/c': '', 'd/e': '' })

    const walk = walkFiles(files, { guard: readGuard, signal: controller.signal }, () =>
      controller.abort(new Error('end')),
    )

    await expect(walk).rejects.toThrow('end')
    await expect(walkFiles(root, { guard: readGuard, signal: controller.signal }, () => {})).rejects.toThrow('end')
  })

  it('gives what the visitor throws, and visits nothing more', async () => {
    const root = await tempWorkspace({ a: '', 'b/c': '', 'd/e': '' })
    let visits = 0

    const walk = walkFiles(root, { guard: readGuard, signal }, () => {
      visits += 1
      throw new Error('enough')
    })

    await expect(walk).rejects.toThrow('enough')
    expect(visits).toBe(1)
  })

  it('lets other work go on while it walks', async () => {
    const root = await tempWorkspace(
      Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`${index % 50}/${index}/f`, ''])),
    )
    let turns = 0
    const beat = setInterval(() => {
      turns += 1
    }, 0)

    await walkFiles(root, { guard: readGuard, signal }, () => {})
    clearInterval(beat)

    expect(turns).toBeGreaterThan(0)
  })

  it('reads on other threads where the disk is not known to be here', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux has such a folder at hand')
    const found: string[] = []

    await walkFiles('/proc/self/task', { guard: readGuard, signal, depth: 2 }, (_folder, names) => found.push(...names))

    expect(found).toContain('status')
  })
})
