import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOfResult } from '../../support/call-tool.ts'
import { type WriteLoop, writeLoop } from '../../support/write-loop.ts'

/** A loop that has read its one file. */
async function readLoop(content: string | Buffer): Promise<WriteLoop> {
  const loop = await writeLoop({ 'a.txt': content })
  await loop.call('ReadFile', { path: 'a.txt' })
  return loop
}

/** Edits a file that was read, and gives what it holds then. */
async function edited(content: string, args: { old: string; new: string; replace_all?: boolean }): Promise<string> {
  const loop = await readLoop(content)
  const result = await loop.call('EditFile', { path: 'a.txt', ...args })
  return result.isError ? `${result.code}` : loop.text('a.txt')
}

describe('editFileDefinition: what it replaces', () => {
  it('replaces the one place and shows the difference', async () => {
    const loop = await readLoop('1\n2\n3\n4\n5\n6\n')

    const result = await loop.call('EditFile', { path: 'a.txt', old: '4\n', new: 'four\n' })

    expect(textOfResult(result)).toBe(
      'edited a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+four\n 5\n 6',
    )
    expect(result.details).toEqual({ path: 'a.txt', replacements: 1, sizeBytes: 15 })
    expect(await loop.text('a.txt')).toBe('1\n2\n3\nfour\n5\n6\n')
  })

  it.each([false, true])('inserts what looks like a replacement pattern literally (all: %s)', async (replace_all) => {
    const text = "$& $1 $$ $` $' $<n> \\1 \\n"

    expect(await edited('a X b\n', { old: 'X', new: text, replace_all })).toBe(`a ${text} b\n`)
  })

  it('takes the old text literally as well', async () => {
    expect(await edited('a.c abc\n', { old: 'a.c', new: 'x' })).toBe('x abc\n')
  })

  it('replaces all places without looking at what it has put in', async () => {
    expect(await edited('aXaXa', { old: 'a', new: 'aa', replace_all: true })).toBe('aaXaaXaa')
    expect(await edited('aaaa', { old: 'aa', new: 'a', replace_all: true })).toBe('aa')
  })

  it('removes text', async () => {
    expect(await edited('one two\n', { old: ' two', new: '' })).toBe('one\n')
  })

  it.each([false, true])('matches lines of a CRLF file and keeps its line ends (all: %s)', async (replace_all) => {
    expect(await edited('a\r\nb\r\nc\r\n', { old: 'a\nb', new: 'x\ny\nz', replace_all })).toBe('x\r\ny\r\nz\r\nc\r\n')
    expect(await edited('a\r\nb\r\n', { old: 'b', new: 'x\ny', replace_all })).toBe('a\r\nx\r\ny\r\n')
  })

  it('really changes a line end that is named, or says that nothing would change', async () => {
    expect(await edited('a\r\nb', { old: 'a\r\nb', new: 'a\nb' })).toBe('a\nb')
    expect(await edited('a\nb', { old: 'a\nb', new: 'a\r\nb' })).toBe('a\r\nb')
    expect(await edited('a\r\nb', { old: 'a\nb', new: 'a\r\nb' })).toBe('no_change')
  })

  it('matches each place of a file of mixed line ends with its own', async () => {
    expect(await edited('a\nb;a\r\nb', { old: 'a\nb', new: 'x\ny', replace_all: true })).toBe('x\ny;x\r\ny')
    expect(await edited('a\nb;a\r\nb', { old: 'a\nb', new: 'x' })).toBe('ambiguous_match')
  })

  it('keeps byte order mark and mode', async () => {
    const loop = await readLoop('\ufeffold\n')
    await chmod(join(loop.root, 'a.txt'), 0o750)

    await loop.call('EditFile', { path: 'a.txt', old: 'old', new: 'new' })

    expect(await loop.text('a.txt')).toBe('\ufeffnew\n')
    expect((await stat(join(loop.root, 'a.txt'))).mode & 0o777).toBe(0o750)
  })

  it('bounds the difference that it shows', async () => {
    const loop = await readLoop('x\n')

    const result = await loop.call('EditFile', { path: 'a.txt', old: 'x', new: 'long line\n'.repeat(5_000) })

    expect(textOfResult(result)).toHaveLength('edited a.txt\n'.length + 4_096 + '\n[the difference is longer]'.length)
  })
})

describe('editFileDefinition: what it refuses', () => {
  it.each([
    ['a text that is not there', 'one two', { old: 'three', new: 'x' }, 'no_match', /0 matches/],
    ['near matches', 'one  two', { old: 'one two', new: 'x' }, 'no_match', /0 matches/],
    ['a text that is there twice', 'a b a', { old: 'a', new: 'x' }, 'ambiguous_match', /2 times/],
    ['no change', 'a', { old: 'a', new: 'a' }, 'invalid_arguments', /new: must differ from old/],
    ['an empty old text', 'a', { old: '', new: 'a' }, 'invalid_arguments', /old/],
    ['NUL', 'a', { old: 'a', new: '\0' }, 'invalid_arguments', /new/],
    ['half a character', 'a', { old: '\ud83d', new: 'x' }, 'invalid_arguments', /old/],
    ['an unknown argument', 'a', { old: 'a', new: 'b', count: 1 }, 'invalid_arguments', /count/],
    [
      'a text without end',
      'a'.repeat(1_000),
      { old: 'a', new: 'b'.repeat(50_000), replace_all: true },
      'too_large',
      /large/,
    ],
  ])('refuses %s and names why', async (_case, content, args, code, message) => {
    const loop = await readLoop(content)

    const result = await loop.call('EditFile', { path: 'a.txt', ...args })

    expect(result).toMatchObject({ isError: true, code })
    expect(textOfResult(result)).toMatch(message)
    expect(await loop.text('a.txt')).toBe(content)
    // an anchor that is wrong does not undo the read
    expect((await loop.call('EditFile', { path: 'a.txt', old: content, new: 'ok' })).isError).toBe(false)
  })

  it('leaves a Latin-1 file as it is, byte by byte', async () => {
    const bytes = Buffer.from('const x = 1\n// caf\xe9\n', 'latin1')
    const loop = await readLoop(bytes)

    const result = await loop.call('EditFile', { path: 'a.txt', old: 'x = 1', new: 'x = 2' })

    expect(result).toMatchObject({ isError: true, code: 'not_utf8' })
    expect(await loop.bytes('a.txt')).toEqual(bytes)
  })

  it('leaves a Latin-1 file of which only a clean part was read as it is', async () => {
    const bytes = Buffer.from('const x = 1\n// caf\xe9\n', 'latin1')
    const loop = await writeLoop({ 'a.txt': bytes })
    await loop.call('ReadFile', { path: 'a.txt', end_line: 1 })

    expect(await loop.call('EditFile', { path: 'a.txt', old: 'x = 1', new: 'x = 2' })).toMatchObject({
      code: 'not_utf8',
    })
    expect(await loop.bytes('a.txt')).toEqual(bytes)
  })

  it('leaves UTF-16 as it is', async () => {
    const bytes = Buffer.from('\ufeffold\n', 'utf16le')
    const loop = await readLoop(bytes)

    expect(await loop.call('EditFile', { path: 'a.txt', old: 'old', new: 'x' })).toMatchObject({ code: 'not_utf8' })
    expect(await loop.bytes('a.txt')).toEqual(bytes)
  })

  it('makes no file', async () => {
    const loop = await writeLoop()

    expect(await loop.call('EditFile', { path: 'new.txt', old: 'a', new: 'b' })).toMatchObject({ code: 'not_found' })
    expect(loop.names()).toEqual([])
  })

  it('tells nothing of a file that was not read, whatever it holds', async () => {
    const loop = await writeLoop({ 'a.txt': 'SENTINEL SENTINEL\n' })
    const answers = await Promise.all(
      ['SENTINEL', 'not there', 'SENTINEL SENTINEL'].map((old) =>
        loop.call('EditFile', { path: 'a.txt', old, new: 'x' }),
      ),
    )

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ isError: true, code: 'stale_file' })
  })
})

describe('editFileDefinition: many at once', () => {
  it('applies two edits that were prepared side by side', async () => {
    const loop = await readLoop(Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join(''))
    const edits = await Promise.all(
      ['50', '75'].map((old) => loop.prepare('EditFile', { path: 'a.txt', old: `\n${old}\n`, new: `\nline ${old}\n` })),
    )

    const results = await Promise.all(edits.map(({ run }) => run()))

    expect(results.map(({ isError }) => isError)).toEqual([false, false])
    expect((await loop.text('a.txt')).split('\n').filter((line) => line.startsWith('line'))).toEqual([
      'line 50',
      'line 75',
    ])
  })

  it('refuses the second of two edits of one place', async () => {
    const loop = await readLoop('old\n')
    const edits = await Promise.all(
      ['a', 'b'].map((text) => loop.prepare('EditFile', { path: 'a.txt', old: 'old', new: text })),
    )

    const codes = (await Promise.all(edits.map(({ run }) => run()))).map(({ code }) => code)

    expect(codes).toEqual([undefined, 'no_match'])
    expect(await loop.text('a.txt')).toBe('a\n')
  })

  it('refuses an edit of all places when there are more by then than the preview showed', async () => {
    const loop = await readLoop('x y\n')
    const all = await loop.prepare('EditFile', { path: 'a.txt', old: 'x', new: 'z', replace_all: true })
    await loop.call('EditFile', { path: 'a.txt', old: 'y', new: 'x x x' })

    expect(await all.run()).toMatchObject({ isError: true, code: 'stale_file' })
  })

  it('refuses what was prepared before another program wrote, although the loop edited and read since', async () => {
    const loop = await readLoop('one two three\n')
    const late = await loop.prepare('EditFile', { path: 'a.txt', old: 'three', new: '3' })
    await loop.call('EditFile', { path: 'a.txt', old: 'one', new: '1' })
    await writeFile(join(loop.root, 'a.txt'), 'theirs three\n')
    await loop.call('ReadFile', { path: 'a.txt' })

    expect(await late.run()).toMatchObject({ isError: true, code: 'stale_file' })
    expect(await loop.text('a.txt')).toBe('theirs three\n')
  })

  it('refuses a whole-file write that was prepared before an edit', async () => {
    const loop = await readLoop('one two\n')
    const write = await loop.prepare('WriteFile', { path: 'a.txt', content: 'new\n' })
    await loop.call('EditFile', { path: 'a.txt', old: 'one', new: '1' })

    expect(await write.run()).toMatchObject({ isError: true, code: 'stale_file' })
    expect(await loop.text('a.txt')).toBe('1 two\n')
  })
})

describe('editFileDefinition: preview', () => {
  it('shows each place that changes', async () => {
    const loop = await readLoop(
      Array.from({ length: 20 }, (_, index) => (index % 15 === 2 ? 'x' : `${index}`)).join('\n'),
    )

    const { request } = await loop.prepare('EditFile', { path: 'a.txt', old: 'x', new: 'y', replace_all: true })

    expect(request.preview?.kind).toBe('diff')
    expect(request.preview?.text.match(/^\+y$/gm)).toHaveLength(2)
  })
})
