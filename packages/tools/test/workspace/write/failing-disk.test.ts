import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canLimitFiles, makeReadOnly, mountOnItself, mountTiny, withFileLimit } from '../../support/failing-place.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'
import { loopOver, type WriteLoop, writeLoop } from '../../support/write-loop.ts'

const large = 'SENTINEL line\n'.repeat(20_000)

/** Every way to write, each refused, with the old content there and nothing else. */
async function expectRefused(loop: WriteLoop, code: string, path: string, content: string): Promise<void> {
  const before = await loop.text(path)
  const names = loop.names()
  await loop.call('ReadFile', { path })
  for (const [tool, args] of [
    ['WriteFile', { path, content }],
    ['EditFile', { path, old: 'old', new: content }],
    ['WriteFile', { path: 'new/below/file.txt', content }],
  ] as const) {
    const result = await loop.call(tool, args)

    expect(result).toMatchObject({ isError: true, code })
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
    expect(JSON.stringify(result)).not.toContain(loop.root)
  }
  expect(await loop.text(path)).toBe(before)
  expect(loop.names()).toEqual(names)
  // nothing was forgotten: a smaller edit needs no read
  expect((await loop.prepare('EditFile', { path, old: 'old', new: 'x' })).request.preview?.kind).toBe('diff')
}

describe('what happens when the disk fails', () => {
  it('keeps the old file and leaves nothing behind when the disk is full', async ({ skip }) => {
    const top = await tempWorkspace()
    if (!mountTiny(join(top, 'tiny'), 64)) skip('no file system can be mounted here')
    const loop = await loopOver({ root: join(top, 'tiny') })
    await loop.call('WriteFile', { path: 'a.txt', content: 'old\n' })

    await expectRefused(loop, 'disk_full', 'a.txt', large)
  })

  it.skipIf(!canLimitFiles)('does so when a file may not become this large', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })

    await withFileLimit(65_536, () => expectRefused(loop, 'disk_full', 'a.txt', large))
  })

  it('keeps the old file in a folder that is read-only', async ({ skip }) => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    if (!makeReadOnly(loop.root)) skip('no folder can be made read-only here')

    await expectRefused(loop, 'unwritable', 'a.txt', 'new')
  })

  it('refuses a file that is a mount of its own, which no rename replaces', async ({ skip }) => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    if (!mountOnItself(join(loop.root, 'a.txt'))) skip('no file can be mounted here')
    await loop.call('ReadFile', { path: 'a.txt' })

    const result = await loop.call('WriteFile', { path: 'a.txt', content: 'new' })

    expect(result).toMatchObject({ isError: true, code: 'unwritable' })
    expect(await loop.text('a.txt')).toBe('old\n')
    expect(loop.names()).toEqual(['a.txt'])
  })
})
