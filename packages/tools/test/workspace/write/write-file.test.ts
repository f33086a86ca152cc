import { chmod, mkdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileObservations } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { textOfResult } from '../../support/call-tool.ts'
import { canMakePipes, makePipe, makeSocket } from '../../support/special-file.ts'
import { loopOver, writeLoop } from '../../support/write-loop.ts'

describe('writeFileDefinition: what it writes', () => {
  it('creates a file without a read, with the folders that it needs', async () => {
    const loop = await writeLoop()

    const result = await loop.call('WriteFile', { path: 'src/new/a.ts', content: 'é\n' })

    expect(textOfResult(result)).toBe('wrote src/new/a.ts (3 bytes)')
    expect(result.details).toEqual({ path: 'src/new/a.ts', sizeBytes: 3, created: true })
    expect(await loop.text('src/new/a.ts')).toBe('é\n')
    expect(loop.names('src/new')).toEqual(['a.ts'])
  })

  it('makes a new file as readable as the umask says', async () => {
    const loop = await writeLoop()

    await loop.call('WriteFile', { path: 'a', content: '' })

    expect((await stat(join(loop.root, 'a'))).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it('overwrites what the loop has read, and then again without another read', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'a.txt' })

    expect(await loop.call('WriteFile', { path: 'a.txt', content: 'new\n' })).toMatchObject({
      isError: false,
      details: { created: false },
    })
    expect(await loop.call('WriteFile', { path: 'a.txt', content: 'newer\n' })).toMatchObject({ isError: false })
    expect(await loop.text('a.txt')).toBe('newer\n')
  })

  it('overwrites and edits what it has created', async () => {
    const loop = await writeLoop()
    await loop.call('WriteFile', { path: 'a.txt', content: 'one\n' })

    expect(await loop.call('EditFile', { path: 'a.txt', old: 'one', new: 'two' })).toMatchObject({ isError: false })
    expect(await loop.call('WriteFile', { path: 'a.txt', content: 'three\n' })).toMatchObject({ isError: false })
  })

  it('keeps the mode of a script', async () => {
    const loop = await writeLoop({ 'run.sh': '#!/bin/sh\n' })
    await chmod(join(loop.root, 'run.sh'), 0o755)
    await loop.call('ReadFile', { path: 'run.sh' })

    await loop.call('WriteFile', { path: 'run.sh', content: '#!/bin/sh\nexit 1\n' })

    expect((await stat(join(loop.root, 'run.sh'))).mode & 0o7777).toBe(0o755)
  })

  // only the superuser may give files away
  it.skipIf(process.getuid?.() !== 0)('keeps the owner, and drops setuid', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    const path = join(loop.root, 'a.txt')
    const { chown } = await import('node:fs/promises')
    await chown(path, 1_234, 2_345)
    await chmod(path, 0o4775)
    await loop.call('ReadFile', { path: 'a.txt' })

    await loop.call('WriteFile', { path: 'a.txt', content: 'new\n' })

    expect(await stat(path)).toMatchObject({ uid: 1_234, gid: 2_345, mode: 0o100775 })
  })

  it('keeps CRLF line ends and the byte order mark of the file, and says so', async () => {
    const loop = await writeLoop({ 'a.txt': '\ufeffone\r\ntwo\r\n' })
    await loop.call('ReadFile', { path: 'a.txt' })

    const result = await loop.call('WriteFile', { path: 'a.txt', content: 'three\nfour\n' })

    expect(textOfResult(result)).toBe("wrote a.txt (16 bytes)\n[kept the file's CRLF line ends and byte order mark]")
    expect(await loop.text('a.txt')).toBe('\ufeffthree\r\nfour\r\n')
  })

  it('writes carriage returns as they are given, and line feeds into a file of mixed line ends', async () => {
    const loop = await writeLoop({ 'crlf.txt': 'a\r\nb\r\n', 'mixed.txt': 'a\r\nb\n' })
    for (const path of ['crlf.txt', 'mixed.txt']) await loop.call('ReadFile', { path })

    await loop.call('WriteFile', { path: 'crlf.txt', content: 'a\rb\n' })
    await loop.call('WriteFile', { path: 'mixed.txt', content: 'a\nb\n' })

    expect(await loop.text('crlf.txt')).toBe('a\rb\n')
    expect(await loop.text('mixed.txt')).toBe('a\nb\n')
  })

  it('writes through a folder link that stays inside, and tells a person where', async () => {
    const loop = await writeLoop({ 'real/a.txt': 'old' })
    await symlink('real', join(loop.root, 'link'))

    const { request, run } = await loop.prepare('WriteFile', { path: 'link/b.txt', content: 'new' })

    expect(request.request.requirements).toMatchObject([
      { kind: 'filesystem.write', scope: join(loop.root, 'real/b.txt'), description: 'write real/b.txt (link/b.txt)' },
    ])
    expect(await run()).toMatchObject({ isError: false })
    expect(await loop.text('real/b.txt')).toBe('new')
  })

  it('leaves other names of the file as they were', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    const { link } = await import('node:fs/promises')
    await link(join(loop.root, 'a.txt'), join(loop.root, 'b.txt'))
    await loop.call('ReadFile', { path: 'a.txt' })

    await loop.call('WriteFile', { path: 'a.txt', content: 'new\n' })

    expect([await loop.text('a.txt'), await loop.text('b.txt')]).toEqual(['new\n', 'old\n'])
  })
})

describe('writeFileDefinition: what it must know', () => {
  it('refuses to overwrite what was not read', async () => {
    const loop = await writeLoop({ 'a.txt': 'SENTINEL\n' })

    const result = await loop.call('WriteFile', { path: 'a.txt', content: 'new\n' })

    expect(result).toMatchObject({ isError: true, code: 'stale_file' })
    expect(textOfResult(result)).toContain('read it again')
    expect(await loop.text('a.txt')).toBe('SENTINEL\n')
  })

  it('refuses a file that something else changed since, also with the same size and time', async () => {
    const loop = await writeLoop({ 'a.txt': 'old 1\n' })
    const path = join(loop.root, 'a.txt')
    const { atime, mtime } = await stat(path)
    await loop.call('ReadFile', { path: 'a.txt' })
    await writeFile(path, 'old 2\n')
    await utimes(path, atime, mtime)

    for (const [tool, args] of [
      ['WriteFile', { content: 'new\n' }],
      ['EditFile', { old: 'old', new: 'new' }],
    ] as const) {
      expect(await loop.call(tool, { path: 'a.txt', ...args })).toMatchObject({ isError: true, code: 'stale_file' })
    }
    expect(await loop.text('a.txt')).toBe('old 2\n')
  })

  it('does not mind a new time without new content', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'a.txt' })
    await utimes(join(loop.root, 'a.txt'), 1, 1)

    expect(await loop.call('WriteFile', { path: 'a.txt', content: 'new\n' })).toMatchObject({ isError: false })
  })

  it('does not take the read of another loop for its own', async () => {
    const reader = await writeLoop({ 'a.txt': 'old\n' })
    const writer = await loopOver({ ...reader.workspace, observations: createFileObservations() })
    await reader.call('ReadFile', { path: 'a.txt' })

    expect(await writer.call('WriteFile', { path: 'a.txt', content: 'x' })).toMatchObject({ code: 'stale_file' })
    expect(await writer.call('EditFile', { path: 'a.txt', old: 'old', new: 'x' })).toMatchObject({ code: 'stale_file' })
  })

  it('needs a new read once everything was forgotten, as after a command', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'a.txt' })
    loop.workspace.observations?.forgetAll()

    expect(await loop.call('EditFile', { path: 'a.txt', old: 'old', new: 'x' })).toMatchObject({ code: 'stale_file' })
    await loop.call('ReadFile', { path: 'a.txt' })
    expect(await loop.call('EditFile', { path: 'a.txt', old: 'old', new: 'x' })).toMatchObject({ isError: false })
  })

  it('knows one file under its aliases', async () => {
    const loop = await writeLoop({ 'dir/a.txt': 'old\n' })
    await symlink('dir', join(loop.root, 'link'))
    await loop.call('ReadFile', { path: 'link/../dir/./a.txt' })

    expect(await loop.call('WriteFile', { path: 'link/a.txt', content: 'new\n' })).toMatchObject({ isError: false })
  })

  it('lets a read that shows a part, and hashed the whole, allow the next write', async () => {
    const loop = await writeLoop({ 'a.txt': 'line\n'.repeat(5_000) })
    await loop.call('ReadFile', { path: 'a.txt', start_line: 10, end_line: 12 })

    expect(await loop.call('EditFile', { path: 'a.txt', old: 'line', new: 'x', replace_all: true })).toMatchObject({
      details: { replacements: 5_000 },
    })
  })

  it('does not let a read that saw only a part of the bytes allow anything', async () => {
    const loop = await writeLoop({ 'a.txt': `${'x'.repeat(99)}\n`.repeat(700_000) })
    await loop.call('ReadFile', { path: 'a.txt' })

    expect(await loop.call('WriteFile', { path: 'a.txt', content: 'x' })).toMatchObject({ code: 'too_large' })
    expect(await loop.call('EditFile', { path: 'a.txt', old: 'x', new: 'y' })).toMatchObject({ code: 'too_large' })
  })

  it('refuses when the file changed since the preview, although it was read again in between', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'a.txt' })
    const { run } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'new\n' })
    await writeFile(join(loop.root, 'a.txt'), 'other\n')
    await loop.call('ReadFile', { path: 'a.txt' })

    const result = await run()

    expect(result).toMatchObject({ isError: true, code: 'stale_file' })
    expect(textOfResult(result)).toContain('since the preview')
    expect(await loop.text('a.txt')).toBe('other\n')
  })

  it('runs what was prepared after the loop forgot, as after a restart, when the file is what it had read', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'a.txt' })
    const { run } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'new\n' })
    loop.workspace.observations?.forgetAll()

    expect(await run()).toMatchObject({ isError: false })
  })

  it('refuses to create what exists by now, and to overwrite what is gone', async () => {
    const loop = await writeLoop({ 'gone.txt': 'old\n' })
    await loop.call('ReadFile', { path: 'gone.txt' })
    const create = await loop.prepare('WriteFile', { path: 'new.txt', content: 'mine' })
    const overwrite = await loop.prepare('WriteFile', { path: 'gone.txt', content: 'mine' })
    await writeFile(join(loop.root, 'new.txt'), 'theirs')
    const { rm } = await import('node:fs/promises')
    await rm(join(loop.root, 'gone.txt'))

    expect(await create.run()).toMatchObject({ isError: true, code: 'file_conflict' })
    expect(await overwrite.run()).toMatchObject({ isError: true, code: 'stale_file' })
    expect(await loop.text('new.txt')).toBe('theirs')
    expect(loop.names()).toEqual(['new.txt'])
  })
})

describe('writeFileDefinition: many at once', () => {
  it('lets exactly one of 20 creators win, in one session and across sessions', async () => {
    const first = await writeLoop()
    const loops = await Promise.all(Array.from({ length: 20 }, () => loopOver({ root: first.root })))
    const ownCalls = await Promise.all(
      loops.map((_, index) => first.prepare('WriteFile', { path: 'own.txt', content: `writer ${index}` })),
    )
    const otherCalls = await Promise.all(
      loops.map((loop, index) => loop.prepare('WriteFile', { path: 'shared.txt', content: `writer ${index}` })),
    )

    for (const [path, calls] of [
      ['own.txt', ownCalls],
      ['shared.txt', otherCalls],
    ] as const) {
      const results = await Promise.all(calls.map(({ run }) => run()))
      const winners = results.flatMap(({ isError }, index) => (isError ? [] : [index]))
      expect(winners).toHaveLength(1)
      expect(results.filter(({ code }) => code === 'file_conflict')).toHaveLength(19)
      expect(await first.text(path)).toBe(`writer ${winners[0]}`)
    }
    expect(first.names()).toEqual(['own.txt', 'shared.txt'])
  })

  it('names one write target for all aliases of a path', async () => {
    const loop = await writeLoop({ 'dir/a.txt': '' })
    await symlink('dir', join(loop.root, 'link'))
    const one = await loop.prepare('WriteFile', { path: 'dir/b.txt', content: '' })
    const other = await loop.prepare('WriteFile', { path: 'link/../dir/b.txt', content: '' })

    expect(one.request.request.requirements[0]?.scope).toBe(other.request.request.requirements[0]?.scope)
  })

  it('writes nothing when it is interrupted before its turn', async () => {
    const loop = await writeLoop()
    const { run } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'x' })

    expect(await run(AbortSignal.abort())).toMatchObject({ isError: true, code: 'interrupted' })
    expect(loop.names()).toEqual([])
  })
})

describe('writeFileDefinition: preview', () => {
  it('shows a new file, and the difference to the one that is replaced', async () => {
    const loop = await writeLoop({ 'a.txt': '1\n2\n3\n4\n5\n6\n' })
    const created = await loop.prepare('WriteFile', { path: 'b.txt', content: 'new\n' })
    const replaced = await loop.prepare('WriteFile', { path: 'a.txt', content: '1\n2\n3\n4\nfive\n6\n' })

    expect(created.request.preview).toEqual({
      kind: 'diff',
      text: '--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,1 @@\n+new',
    })
    expect(replaced.request.preview).toEqual({
      kind: 'diff',
      text: '--- a/a.txt\n+++ b/a.txt\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6',
    })
  })

  it('is cut at 16 KiB and says so', async () => {
    const loop = await writeLoop()

    const { request } = await loop.prepare('WriteFile', { path: 'b.txt', content: 'line of text\n'.repeat(10_000) })

    expect(request.preview?.truncated).toBe(true)
    expect(Buffer.byteLength(request.preview?.text ?? '')).toBeLessThanOrEqual(16_384)
  })

  it('lets no control character reach the terminal of who decides', async () => {
    const loop = await writeLoop()

    const { request } = await loop.prepare('WriteFile', { path: 'b.txt', content: '\u001b[2Jok\u2028x\n' })

    expect(request.preview?.text).toBe('--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,1 @@\n+\ufffd[2Jok\ufffdx')
  })

  it('names the change of line ends where only they differ', async () => {
    const loop = await writeLoop({ 'a.txt': 'a\nb\n' })

    const { request } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'a\r\nb\n' })

    expect(request.preview?.text).toContain('-a\n+a␍')
  })

  it('shows two large texts that differ in every line as one region, in bounded time', async () => {
    const lines = (word: string) => Array.from({ length: 40_000 }, (_, index) => `${word} ${index}`).join('\n')
    const loop = await writeLoop({ 'a.txt': lines('old') })

    const { request } = await loop.prepare('WriteFile', { path: 'a.txt', content: lines('new') })

    expect(request.preview?.text).toContain('-old 0')
  })

  it('tells the size of what is no text', async () => {
    const loop = await writeLoop({ 'a.bin': Buffer.from([0, 1, 2]) })

    const { request } = await loop.prepare('WriteFile', { path: 'a.bin', content: 'text' })

    expect(request.preview).toEqual({
      kind: 'text',
      text: 'replaces all 3 bytes, which cannot be compared, by 4 bytes',
    })
  })
})

describe('writeFileDefinition: hostile places', () => {
  it.each([
    ['link.txt', 'symlink_refused'],
    ['dangling', 'outside_workspace'],
    ['esc/new.txt', 'outside_workspace'],
    ['../new.txt', 'outside_workspace'],
    ['folder', 'not_a_file'],
    ['socket', 'not_a_file'],
    ['.env', 'read_denied'],
    ['a.txt/below', 'not_a_folder'],
    ['loop/x', 'outside_workspace'],
    ['a\nb', 'invalid_arguments'],
    ['a\u001b[2J', 'invalid_arguments'],
    ['a\0b', 'invalid_arguments'],
    ['', 'invalid_arguments'],
    [`${'x'.repeat(300)}`, 'outside_workspace'],
    [`${'d/'.repeat(100)}x`, 'unwritable'],
  ])('answers %j with %s and changes nothing', async (path, code) => {
    const loop = await writeLoop({ 'a.txt': 'a' })
    await symlink('a.txt', join(loop.root, 'link.txt'))
    await symlink('/no/such/place', join(loop.root, 'dangling'))
    await symlink('/etc', join(loop.root, 'esc'))
    await symlink('loop', join(loop.root, 'loop'))
    await mkdir(join(loop.root, 'folder'))
    await makeSocket(join(loop.root, 'socket'))
    const before = loop.names()

    const result = await loop.call('WriteFile', { path, content: 'SENTINEL' })

    expect(result).toMatchObject({ isError: true, code })
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
    expect(JSON.stringify(result)).not.toContain(loop.root)
    expect(loop.names()).toEqual(before)
  })

  // without mkfifo there is no pipe to try
  it.skipIf(!canMakePipes)('answers a pipe at once and leaves it', async () => {
    const loop = await writeLoop()
    makePipe(join(loop.root, 'fifo'))

    expect(await loop.call('WriteFile', { path: 'fifo', content: 'x' })).toMatchObject({ code: 'not_a_file' })
    expect((await stat(join(loop.root, 'fifo'))).isFIFO()).toBe(true)
  })

  it.each([
    [{ path: 'a' }, /content/],
    [{ path: 'a', content: 1 }, /content/],
    [{ path: 'a', content: 'a\0' }, /content: /],
    [{ path: 'a', content: '\ud800' }, /content: /],
    [{ path: 'a', content: 'x', mode: 1 }, /mode/],
  ])('refuses the arguments %j', async (args, message) => {
    const loop = await writeLoop()

    const result = await loop.call('WriteFile', args)

    expect(result).toMatchObject({ code: 'invalid_arguments' })
    expect(textOfResult(result)).toMatch(message)
  })
})
