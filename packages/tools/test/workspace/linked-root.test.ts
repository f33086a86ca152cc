import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOfResult } from '../support/call-tool.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'
import { loopOver } from '../support/write-loop.ts'

describe('a workspace that is given through a link', () => {
  it('works as any other, and still lets nothing out', async () => {
    const top = await tempWorkspace({ 'real/a.txt': 'needle\n', 'real-victim/f': 'SENTINEL' })
    await symlink('real', join(top, 'root'))
    await symlink('../real-victim', join(top, 'real/esc'))
    const loop = await loopOver({ root: join(top, 'root') })

    expect(textOfResult(await loop.call('ReadFile', { path: 'a.txt' }))).toBe('   1\tneedle')
    expect(await loop.call('EditFile', { path: 'a.txt', old: 'needle', new: 'found' })).toMatchObject({
      isError: false,
    })
    expect(await loop.call('WriteFile', { path: 'new/b.txt', content: 'found' })).toMatchObject({ isError: false })
    expect(textOfResult(await loop.call('Glob', { pattern: '**' }))).toBe('a.txt\nnew/b.txt')
    expect(textOfResult(await loop.call('Grep', { pattern: 'found' }))).toBe('a.txt:1:found\nnew/b.txt:1:found')
    for (const path of ['../real-victim/f', 'esc/f', `${top}/real-victim/f`]) {
      expect((await loop.call('ReadFile', { path })).isError).toBe(true)
      expect((await loop.call('WriteFile', { path: `${path}/../g`, content: 'x' })).code).not.toBe('stale_file')
    }
    expect(textOfResult(await loop.call('Grep', { pattern: 'SENTINEL' }))).toBe('no matches')
  })
})
