import { mkdir, symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { createReadGuard, readFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { buildTool, callTool, newContext, textOfResult } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { canMakePipes, makePipe, makeSocket } from '../support/special-file.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const readFile = readFileDefinition({ readGuard })

async function readText(content: string | Buffer, args: JsonObject = {}, definition = readFile): Promise<string> {
  const root = await tempWorkspace({ 'f.txt': content })
  return textOfResult(await callTool(definition, root, { path: 'f.txt', ...args }))
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')
}

describe('readFileDefinition: lines', () => {
  it('numbers each line, without one for the final line end', async () => {
    expect(await readText('one\ntwo\n\nfour\n')).toBe('   1\tone\n   2\ttwo\n   3\t\n   4\tfour')
  })

  it('shows a last line without an end', async () => {
    expect(await readText('one\ntwo')).toBe('   1\tone\n   2\ttwo')
  })

  it('drops a byte order mark and the carriage return of each line', async () => {
    expect(await readText('\ufeffone\r\ntwo\rstill two\r\n')).toBe('   1\tone\n   2\ttwo\rstill two')
  })

  it('shows the lines asked for and no notice', async () => {
    expect(await readText(numbered(10), { start_line: 3, end_line: 4 })).toBe('   3\tline 3\n   4\tline 4')
  })

  it('tells an empty file', async () => {
    expect(await readText('')).toBe('[the file is empty]')
    expect(await readText('\ufeff')).toBe('[the file is empty]')
  })

  it('decodes a character that lies across two reads', async () => {
    const text = `${'x'.repeat(100)}\n`.repeat(2_595)
    const prefix = `${text}${'y'.repeat(256 * 1_024 - text.length - 2)}`

    expect(await readText(`${prefix}😀 end\n`, { start_line: 2_596 })).toMatch(/^2596\ty+😀 end$/)
  })

  it('gives structured details', async () => {
    const root = await tempWorkspace({ 'f.txt': numbered(3) })

    const result = await callTool(readFile, root, { path: 'f.txt', start_line: 2 })

    expect(result.details).toEqual({ path: 'f.txt', sizeBytes: 21, startLine: 2, endLine: 3, isTruncated: false })
  })
})

describe('readFileDefinition: caps', () => {
  it('stops after 2,000 lines and names the next one', async () => {
    const lines = (await readText(numbered(5_321))).split('\n')

    expect(lines).toHaveLength(2_001)
    expect(lines.at(-1)).toBe('[lines 1-2000 of 5321; continue with start_line 2001]')
  })

  it('counts lines for a while only, in a file that goes on for ever', async () => {
    const root = await tempWorkspace({ 'f.txt': numbered(3_000) })
    await truncate(join(root, 'f.txt'), 200_000_000)

    const lines = textOfResult(await callTool(readFile, root, { path: 'f.txt' })).split('\n')

    expect(lines.at(-1)).toBe('[lines 1-2000 of more than 3000; continue with start_line 2001]')
  })

  it('gives no notice when the cap falls on the last line', async () => {
    expect((await readText(numbered(2_000))).split('\n').at(-1)).toBe('2000\tline 2000')
  })

  it('stops at the bytes of the guard, and the next call goes on without a gap', async () => {
    const small = readFileDefinition({ readGuard: createReadGuard({ deny: [], maxReadBytes: 30 }) })

    expect(await readText(numbered(5), {}, small)).toBe(
      '   1\tline 1\n   2\tline 2\n[lines 1-2 of 5; continue with start_line 3]',
    )
    expect(await readText(numbered(5), { start_line: 3, end_line: 4 }, small)).toBe('   3\tline 3\n   4\tline 4')
  })

  it('reaches lines far behind the byte cap', async () => {
    const root = await tempWorkspace({ 'f.txt': [...Array(100_000).fill('z'.repeat(99)), 'needle'].join('\n') })

    const result = await callTool(readFile, root, { path: 'f.txt', start_line: 100_000 })

    expect(textOfResult(result)).toBe(`100000\t${'z'.repeat(99)}\n100001\tneedle`)
  })

  it('clips a huge line, tells its size, and shows the lines behind it', async () => {
    const lines = (await readText(`${'m'.repeat(5_000_000)}\nafter\n`)).split('\n')

    expect(lines).toEqual([
      `   1\t${'m'.repeat(16_384)}`,
      '   2\tafter',
      '[line 1 has 5000000 bytes; only its first 16384 are shown; Grep shows the parts that match]',
    ])
  })

  it('never cuts a character of a clipped line in half', async () => {
    const [line = ''] = (await readText(`a${'😀'.repeat(10_000)}\n`)).split('\n')

    expect(line.isWellFormed()).toBe(true)
    expect(line).toBe(`   1\ta${'😀'.repeat(4_095)}`)
  })

  it('shows a part of a line that is larger than the whole budget', async () => {
    const tiny = readFileDefinition({ readGuard: createReadGuard({ deny: [], maxReadBytes: 10 }) })

    expect(await readText('abcdefgh\nnext\n', {}, tiny)).toBe(
      '   1\tabcd\n[line 1 has 8 bytes; only its first 4 are shown; Grep shows the parts that match]\n' +
        '[lines 1-1 of 2; continue with start_line 2]',
    )
  })
})

describe('readFileDefinition: refusals', () => {
  async function refusal(path: string, args: JsonObject = {}, content: string | Buffer = 'text\n') {
    const root = await tempWorkspace({ 'f.txt': content, '.env': 'SENTINEL', 'real/x.txt': 'x' })
    await symlink('f.txt', join(root, 'link.txt'))
    await symlink('.env', join(root, 'innocent.txt'))
    await symlink('real', join(root, 'folder-link'))
    await mkdir(join(root, 'folder'))
    await makeSocket(join(root, 'socket'))
    if (canMakePipes) makePipe(join(root, 'fifo'))
    const result = await callTool(readFile, root, { path, ...args }).catch((error: Error & { code: string }) => error)
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
    expect(JSON.stringify(result)).not.toContain(root)
    return result
  }

  // without mkfifo there is no pipe to try
  it.skipIf(!canMakePipes)('answers a pipe with not_a_file, without waiting for a writer', async () => {
    expect(await refusal('fifo')).toMatchObject({ code: 'not_a_file' })
  })

  it.each([
    ['missing.txt', 'not_found'],
    ['f.txt/below', 'not_found'],
    ['folder', 'not_a_file'],
    ['socket', 'not_a_file'],
    ['link.txt', 'symlink_refused'],
    ['.env', 'read_denied'],
    ['real/.env.local', 'read_denied'],
    ['innocent.txt', 'read_denied'],
    ['../outside', 'outside_workspace'],
  ])('answers %s with %s', async (path, code) => {
    expect(await refusal(path)).toMatchObject({ code })
  })

  it('reads through a folder link that stays inside', async () => {
    expect(await refusal('folder-link/x.txt')).toMatchObject({ isError: false })
  })

  it('does not tell whether a denied file exists', async () => {
    const there = await refusal('.env')
    const missing = await refusal('real/.env')

    expect(String(there).replace('.env', '')).toBe(String(missing).replace('real/.env', ''))
  })

  it('refuses a binary file with its size', async () => {
    const result = await refusal('f.txt', {}, Buffer.from('PNG\0\x01\x02'))

    expect(result).toMatchObject({ isError: true, code: 'binary_file', details: { sizeBytes: 6 } })
  })

  it('refuses a NUL that comes later in what would be shown', async () => {
    expect(await refusal('f.txt', {}, `${'a\n'.repeat(9_000)}\0\n`)).toMatchObject({ isError: false })
    expect(await refusal('f.txt', { start_line: 9_000 }, `${'a\n'.repeat(9_000)}\0\n`)).toMatchObject({
      code: 'binary_file',
    })
  })

  it('refuses bytes that are no UTF-8 and names the line', async () => {
    const bytes = Buffer.from([0x61, 0x0a, 0x62, 0xff, 0xfe, 0x0a, 0x63, 0x0a])

    expect(await refusal('f.txt', {}, bytes)).toMatchObject({ code: 'not_utf8', details: { line: 2 } })
    expect(await refusal('f.txt', { start_line: 3 }, bytes)).toMatchObject({ isError: false })
  })

  it('refuses a character that the end of the file cuts', async () => {
    expect(await refusal('f.txt', {}, Buffer.from([0x61, 0xf0, 0x9f, 0x98]))).toMatchObject({ code: 'not_utf8' })
  })

  it('tells how many lines there are when the start is past them', async () => {
    const result = await refusal('f.txt', { start_line: 7 }, 'a\nb\n')

    expect(result).toMatchObject({ code: 'line_out_of_range' })
    expect(JSON.stringify(result)).toContain('f.txt has 2 lines')
  })

  it.each([
    [{ path: '' }, /path/],
    [{ path: 'a\0b' }, /path: /],
    [{ path: '\ud83d' }, /path: /],
    [{ path: 'a.txt ' }, /path: must not end in white space/],
    [{ path: 'a', start_line: 0 }, /start_line/],
    [{ path: 'a', start_line: 3, end_line: 2 }, /end_line: must not be before start_line/],
    [{ path: 'a', startLine: 3 }, /startLine/],
  ])('refuses the arguments %j', async (args, message) => {
    const tool = await buildTool(readFile, await tempWorkspace())

    const prepared = tool.prepareCall(newContext(), JSON.stringify(args))

    await expect(prepared).rejects.toThrow(message)
    await expect(prepared).rejects.toMatchObject({ code: 'invalid_arguments' })
  })
})
