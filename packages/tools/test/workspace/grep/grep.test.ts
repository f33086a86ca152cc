import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createReadGuard, grepDefinition } from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'
import { buildTool, callTool, newContext, textOfResult } from '../../support/call-tool.ts'
import { grepBoth, grepEngines, grepLines } from '../../support/grep-engines.ts'
import { makeSocket } from '../../support/special-file.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

describe('grepDefinition: results', () => {
  it('gives path, line and text, in order of paths and lines', async () => {
    const root = await tempWorkspace({
      'b.txt': 'needle b',
      'a/x.txt': 'no\nneedle 1\nneedle 2\n',
      'a.txt': 'a needle\r\n',
    })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual([
      'a/x.txt:2:needle 1',
      'a/x.txt:3:needle 2',
      'a.txt:1:a needle',
      'b.txt:1:needle b',
    ])
  })

  it('orders names by their bytes', async () => {
    const root = await tempWorkspace({ '😀': 'x', '\uff5e': 'x', é: 'x', z: 'x', 'Z/a': 'x', 'Z.a': 'x', 'Z-a': 'x' })

    const paths = (await grepLines(root, { pattern: 'x' })).map((line) => line.split(':')[0])

    expect(paths).toEqual(['Z/a', 'Z-a', 'Z.a', 'z', 'é', '\uff5e', '😀'])
  })

  it('takes a pattern that starts and ends with a space', async () => {
    expect(await grepLines(await tempWorkspace({ a: 'x y z\nx-y-z' }), { pattern: ' y ' })).toEqual(['a:1:x y z'])
  })

  it('says when nothing matches', async () => {
    expect(await grepLines(await tempWorkspace({ a: 'x' }), { pattern: 'needle' })).toEqual(['no matches'])
    expect(await grepLines(await tempWorkspace(), { pattern: 'needle' })).toEqual(['no matches'])
  })

  it('shows lines around a match once, and parts groups that do not touch', async () => {
    const text = ['1', 'needle', '3', 'needle', '5', '6', '7', '8 needle', '9'].join('\n')
    const root = await tempWorkspace({ a: text, b: 'needle' })

    expect(await grepLines(root, { pattern: 'needle', context_lines: 1 })).toEqual([
      ...['a-1-1', 'a:2:needle', 'a-3-3', 'a:4:needle', 'a-5-5', '--', 'a-7-7', 'a:8:8 needle', 'a-9-9', '--'],
      'b:1:needle',
    ])
  })

  it('searches one file, and a folder without those below it', async () => {
    const root = await tempWorkspace({ 'd/a': 'needle', 'd/e/b': 'needle', c: 'needle' })

    expect(await grepLines(root, { pattern: 'needle', path: 'd/a' })).toEqual(['d/a:1:needle'])
    expect(await grepLines(root, { pattern: 'needle', path: 'd', recursive: false })).toEqual(['d/a:1:needle'])
    expect(await grepLines(root, { pattern: 'needle', path: 'd' })).toEqual(['d/a:1:needle', 'd/e/b:1:needle'])
  })

  it('skips noise below the search root, says which, and searches it when it is named', async () => {
    const root = await tempWorkspace({
      'node_modules/a': 'needle',
      'x/dist/b': 'needle',
      build: 'needle',
      '.gitignore': 'c',
      c: 'needle',
    })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual([
      'build:1:needle',
      'c:1:needle',
      '[skipped folders: dist, node_modules]',
    ])
    expect(await grepLines(root, { pattern: 'needle', path: 'x/dist' })).toEqual(['x/dist/b:1:needle'])
    expect(await grepLines(root, { pattern: 'needle', recursive: false })).toEqual(['build:1:needle', 'c:1:needle'])
    expect(await grepLines(root, { pattern: 'needle', include_all: true })).toHaveLength(4)
  })

  it('searches all of a skipped folder that is named, also what is below it', async () => {
    const root = await tempWorkspace({ 'node_modules/p/dist/a': 'needle', 'node_modules/p/node_modules/q/b': 'needle' })

    expect(await grepLines(root, { pattern: 'needle', path: 'node_modules/p' })).toEqual([
      'node_modules/p/dist/a:1:needle',
      'node_modules/p/node_modules/q/b:1:needle',
    ])
  })

  it('searches a workspace that lies inside a skipped folder', async () => {
    const root = await tempWorkspace({ 'node_modules/ws/a': 'needle', 'node_modules/ws/vendor/b': 'needle' })

    expect(await grepLines(join(root, 'node_modules/ws'), { pattern: 'needle' })).toEqual([
      'a:1:needle',
      '[skipped folders: vendor]',
    ])
  })

  it('gives structured details', async () => {
    const root = await tempWorkspace({ a: 'needle\nneedle', b: 'needle', 'dist/c': '' })

    const { details } = await grepBoth(root, { pattern: 'needle' })

    expect(details).toEqual({
      matchCount: 3,
      files: [
        { path: 'a', matches: 2 },
        { path: 'b', matches: 1 },
      ],
      isTruncated: false,
      skippedFolders: ['dist'],
    })
  })
})

describe('grepDefinition: caps', () => {
  it('stops after 200 matches and says so', async () => {
    const root = await tempWorkspace({ a: 'needle\n'.repeat(150), b: 'needle\nno\n'.repeat(51) })

    const lines = await grepLines(root, { pattern: 'needle', context_lines: 2 })

    expect(lines.filter((line) => line.includes(':needle'))).toHaveLength(200)
    expect(lines.slice(-3)).toEqual([
      'b:99:needle',
      'b-100-no',
      '[more than 200 matches; refine the pattern or name a smaller path]',
    ])
  })

  it('gives exactly 200 matches without a notice', async () => {
    const root = await tempWorkspace({ a: 'needle\n'.repeat(200) })

    expect(await grepLines(root, { pattern: 'needle' })).toHaveLength(200)
  })

  it('returns no more bytes than the guard allows', async () => {
    const root = await tempWorkspace({ a: 'needle\n'.repeat(10) })
    const small = createReadGuard({ deny: [], maxReadBytes: 25 })

    for (const ripgrep of [rgPath, false as const]) {
      const result = await callTool(grepDefinition({ readGuard: small }, { ripgrep }), root, { pattern: 'needle' })
      expect(textOfResult(result)).toBe(
        'a:1:needle\na:2:needle\n[more matches than fit into 25 bytes; refine the pattern or name a smaller path]',
      )
    }
  })

  it('clips a line of 5 MB around its match and still reports other files', async () => {
    const root = await tempWorkspace({
      'big.js': `${'x'.repeat(3_000_000)}needle${'y'.repeat(2_000_000)}`,
      'z.txt': 'needle',
    })

    const [big = '', small] = await grepLines(root, { pattern: 'needle' })

    expect(big).toBe(`big.js:1:…${'x'.repeat(100)}needle${'y'.repeat(294)}…`)
    expect(small).toBe('z.txt:1:needle')
  })

  it('survives a huge line that matches a million times', async () => {
    const root = await tempWorkspace({ 'big.js': 'a"\\'.repeat(400_000) })

    expect(await grepLines(root, { pattern: 'a' })).toEqual([`big.js:1:${'a"\\'.repeat(134).slice(0, 400)}…`])
    expect(await grepLines(root, { pattern: '.*' })).toEqual([`big.js:1:${'a"\\'.repeat(134).slice(0, 400)}…`])
  })

  it('shows the part with the match of a 600-character line', async () => {
    const root = await tempWorkspace({ a: `${'-'.repeat(590)}needle` })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual([`a:1:…${'-'.repeat(394)}needle`])
  })

  it.each([99, 100, 101])('never cuts an emoji in half when a line is clipped (%i before)', async (before) => {
    const root = await tempWorkspace({ a: `${'😀'.repeat(300)}${'x'.repeat(before)}needle${'😀'.repeat(300)}` })

    const [line = ''] = await grepLines(root, { pattern: 'needle' })

    expect(line.isWellFormed()).toBe(true)
    expect(line).toContain('needle')
  })

  it('leaves out a file over 32 MiB, and searches it no more when it is named', async () => {
    const root = await tempWorkspace({ big: Buffer.alloc(32 * 1_024 * 1_024 + 1, 'needle\n'), small: 'needle' })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual(['small:1:needle'])
    expect(await grepBoth(root, { pattern: 'needle', path: 'big' })).toMatchObject({ isError: true, code: 'too_large' })
  })
})

describe('grepDefinition: what must not come out', () => {
  it('hides denied files, whatever they hold', async () => {
    const root = await tempWorkspace({
      '.env': 'needle',
      '.ssh/config': 'needle',
      'k.pem': 'needle\0',
      'a.txt': 'needle',
    })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual(['a.txt:1:needle'])
  })

  it('does not follow links, to a file or to a folder', async () => {
    const outside = await tempWorkspace({ secret: 'needle' })
    const root = await tempWorkspace({ 'a.txt': 'needle' })
    await symlink(join(outside, 'secret'), join(root, 'file'))
    await symlink(outside, join(root, 'folder'))
    await symlink('.', join(root, 'self'))

    expect(await grepLines(root, { pattern: 'needle' })).toEqual(['a.txt:1:needle'])
  })

  it.each([
    [{ pattern: 'x', path: 'missing' }, 'not_found'],
    [{ pattern: 'x', path: 'socket' }, 'not_a_file'],
  ])('answers %j with %s', async (args, code) => {
    const root = await tempWorkspace()
    await makeSocket(join(root, 'socket'))

    expect(await grepBoth(root, args)).toMatchObject({ isError: true, code })
  })

  it.each(['.env', '.ssh', '../x', 'esc', 'esc/passwd'])('refuses to search %s', async (path) => {
    const root = await tempWorkspace({ '.env': 'x', '.ssh/a': 'x' })
    await symlink('/etc', join(root, 'esc'))

    for (const [, definition] of grepEngines) {
      const tool = await buildTool(definition, root)
      await expect(tool.prepareCall(newContext(), JSON.stringify({ pattern: 'x', path }))).rejects.toMatchObject({
        code: path.startsWith('.') && !path.startsWith('..') ? 'read_denied' : 'outside_workspace',
      })
    }
  })

  it('reports a line that is not UTF-8, with replacement characters', async () => {
    const root = await tempWorkspace({
      a: Buffer.concat([Buffer.from('needle '), Buffer.from([0xff, 0xfe]), Buffer.from(' tail')]),
    })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual(['a:1:needle \ufffd\ufffd tail'])
    expect(await grepLines(root, { pattern: 'needle.*tail' })).toEqual(['no matches'])
  })

  it('leaves out binary files that match and counts them', async () => {
    const root = await tempWorkspace({ bin: 'needle\0', 'late-nul': `${'x\n'.repeat(5_000)}needle\0`, other: 'x\0' })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual([
      'late-nul:5001:needle\ufffd',
      '[skipped binary files that match: 1]',
    ])
  })

  it('lets no control character through', async () => {
    const root = await tempWorkspace({
      a: 'needle\u001b[31m\u2028b:1:forged\r\n',
      'n\nb:1:forged': 'needle',
      'c\u001b': 'needle',
    })

    expect(await grepLines(root, { pattern: 'needle' })).toEqual([
      'a:1:needle\ufffd[31m\ufffdb:1:forged',
      '[skipped 2 files whose names hold control characters]',
    ])
  })

  it('takes no pattern and no path for an option', async () => {
    const root = await tempWorkspace({ '-a': '--files', '--help': '-e' })

    expect(await grepLines(root, { pattern: '--files' })).toEqual(['-a:1:--files'])
    expect(await grepLines(root, { pattern: '-e', path: '--help' })).toEqual(['--help:1:-e'])
  })

  it('goes on past a file that it may not read', async () => {
    const root = await tempWorkspace({ 'a.txt': 'needle', 'b.txt': 'needle' })
    await chmod(join(root, 'a.txt'), 0o000)

    expect((await grepLines(root, { pattern: 'needle' })).at(-1)).toBe('b.txt:1:needle')
  })
})
