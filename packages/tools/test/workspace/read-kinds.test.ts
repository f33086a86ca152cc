import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { readFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { callTool, textOfResult } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'
import { writeLoop } from '../support/write-loop.ts'

const readFile = readFileDefinition({ readGuard })
const pngHead = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')

async function read(content: string | Buffer, definition = readFile) {
  const root = await tempWorkspace({ f: content })
  return callTool(definition, root, { path: 'f' })
}

function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

describe('readFileDefinition: encodings', () => {
  it.each(['le', 'be'] as const)('decodes UTF-16 that says so, and tells it (%s)', async (order) => {
    const result = await read(utf16('one é\r\ntwo 😀\r\n', order))

    expect(textOfResult(result)).toBe(
      `   1\tone é\n   2\ttwo 😀\n[decoded from UTF-16${order.toUpperCase()}; EditFile edits UTF-8 only]`,
    )
    expect(result.details).toMatchObject({ encoding: `utf-16${order}` })
  })

  it('decodes UTF-16 across many reads', async () => {
    const result = await read(utf16(`${'é😀'.repeat(100_000)}\nend\n`, 'le'))

    expect(textOfResult(result)).toContain('   2\tend')
  })

  it('refuses what is not the UTF-16 that its mark says', async () => {
    const odd = await read(Buffer.concat([utf16('a\n', 'le'), Buffer.from([0])]))
    const half = await read(Buffer.concat([utf16('a\n', 'le'), Buffer.from([0x00, 0xd8, 0x61, 0x00])]))

    expect([odd, half].map(({ code }) => code)).toEqual(['not_utf8', 'not_utf8'])
  })

  it('shows text that is full of other scripts and of control characters', async () => {
    const text = '日本語\u001b[31m\u0001\u0002\u0003\n'.repeat(200)

    expect(await read(text)).toMatchObject({ isError: false })
  })

  it('names the line of a Latin-1 file that cannot be shown', async () => {
    const text = Buffer.from(`${'line of text\n'.repeat(100)}caf\xe9\n`, 'latin1')

    expect(await read(text)).toMatchObject({ isError: true, code: 'not_utf8', details: { line: 101 } })
  })
})

describe('readFileDefinition: binary files', () => {
  it.each([
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['an archive', Buffer.from('PK\x03\x04rest', 'latin1'), 'application/zip'],
    ['a program', Buffer.from('\x7fELF\x02\x01', 'latin1'), 'application/x-elf'],
    [
      'noise',
      Buffer.from(Array.from({ length: 2_000 }, (_, index) => ((index * 7_919) % 255) + 1)),
      'application/octet-stream',
    ],
  ])('tells kind and size of %s', async (_name, content, mediaType) => {
    const result = await read(content)

    expect(result).toMatchObject({
      isError: true,
      code: 'binary_file',
      details: { mediaType, sizeBytes: content.length },
    })
  })

  it('answers a sparse file of 2 GB at once', async () => {
    const root = await tempWorkspace({ f: '' })
    await truncate(join(root, 'f'), 2_000_000_000)
    const before = process.cpuUsage()

    expect(await callTool(readFile, root, { path: 'f' })).toMatchObject({ code: 'binary_file' })
    const { user, system } = process.cpuUsage(before)
    expect(user + system).toBeLessThan(500_000)
  })
})

describe('readFileDefinition: pictures', () => {
  it.each([
    ['image/png', pngHead],
    ['image/jpeg', Buffer.from('\xff\xd8\xff\xe0rest', 'latin1')],
    ['image/gif', Buffer.from('GIF89arest')],
    ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
  ])('gives a picture as a picture: %s', async (mediaType, content) => {
    const result = await read(content)

    expect(result).toMatchObject({
      isError: false,
      content: [
        { type: 'text', text: `f: ${mediaType}, ${content.length} bytes` },
        { type: 'image', mediaType, data: content.toString('base64') },
      ],
    })
  })

  it('tells kind and size of a picture that is too large, or when pictures are not wanted', async () => {
    const large = Buffer.concat([pngHead, Buffer.alloc(375_000)])
    const none = readFileDefinition({ readGuard }, { maxImageBytes: 0 })

    expect(await read(large)).toMatchObject({ code: 'binary_file', details: { mediaType: 'image/png' } })
    expect(await read(pngHead, none)).toMatchObject({ code: 'binary_file' })
    expect(await read(large, readFileDefinition({ readGuard }, { maxImageBytes: 400_000 }))).toMatchObject({
      isError: false,
    })
  })
})

describe('readFileDefinition: options', () => {
  it.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])('refuses %s bytes for pictures', (maxImageBytes) => {
    expect(() => readFileDefinition({ readGuard }, { maxImageBytes })).toThrow('maxImageBytes')
  })
})

describe('readFileDefinition: what the loop knows afterwards', () => {
  async function knows(path: string, loop: Awaited<ReturnType<typeof writeLoop>>) {
    return loop.workspace.observations?.withPath(join(loop.root, path), async ({ current }) =>
      typeof current === 'object' ? 'the file' : current,
    )
  }

  it.each([
    ['a.txt', {}, 'the file'],
    ['a.txt', { start_line: 2, end_line: 2 }, 'the file'],
    ['long.txt', { end_line: 1 }, 'the file'],
    ['picture', {}, 'the file'],
    ['utf16', {}, 'the file'],
    ['missing', {}, 'absent'],
    ['bin', {}, 'unknown'],
    ['latin1', {}, 'unknown'],
    ['a.txt', { start_line: 99 }, 'unknown'],
    ['.env', {}, 'unknown'],
  ])('%s %j: %s', async (path, args, expected) => {
    const loop = await writeLoop({
      'a.txt': 'one\ntwo\n',
      'long.txt': `${'x'.repeat(100)}\n`.repeat(50_000),
      picture: pngHead,
      utf16: utf16('a\n', 'le'),
      bin: Buffer.from([0]),
      latin1: Buffer.from('caf\xe9\n', 'latin1'),
      '.env': 'KEY=1',
    })
    await loop.call('ReadFile', { path, ...args })

    expect(await knows(path, loop)).toBe(expected)
  })
})
