import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { createReadGuard, globDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { buildTool, callTool, newContext, textOfResult } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { makeSocket } from '../support/special-file.ts'
import { addFiles, tempWorkspace } from '../support/temp-workspace.ts'

const glob = globDefinition({ readGuard })

const tree = {
  'README.md': '',
  'src/index.ts': '',
  'src/app/page.tsx': '',
  'src/app/(auth)/page.tsx': '',
  'src/.hidden.ts': '',
  '.env': '',
  'node_modules/zod/index.ts': '',
  'dist/x.js': '',
  'dist/.gitignore': '',
}

async function find(args: JsonObject, files: Readonly<Record<string, string>> = tree): Promise<string[]> {
  const root = await tempWorkspace(files)
  return textOfResult(await callTool(glob, root, args)).split('\n')
}

describe('globDefinition', () => {
  it.each([
    ['**/*.ts', ['src/.hidden.ts', 'src/index.ts', '[skipped folders: dist, node_modules]']],
    ['*', ['README.md', '[skipped folders: dist, node_modules]']],
    ['src/*', ['src/.hidden.ts', 'src/index.ts']],
    ['src/**', ['src/.hidden.ts', 'src/app/(auth)/page.tsx', 'src/app/page.tsx', 'src/index.ts']],
    ['src/app/(auth)/page.tsx', ['src/app/(auth)/page.tsx']],
    ['src/**/page.{tsx,jsx}', ['src/app/(auth)/page.tsx', 'src/app/page.tsx']],
    ['{README.md,src/index.ts,README.*}', ['README.md', 'src/index.ts', '[skipped folders: dist, node_modules]']],
    ['./src//index.[st]s', ['src/index.ts']],
    ['src/[!.]*.ts', ['src/index.ts']],
    ['src/inde?.ts', ['src/index.ts']],
    ['readme.md', ['no matches', '[skipped folders: dist, node_modules]']],
    ['src', ['no matches', '[skipped folders: dist, node_modules]']],
  ])('finds %s', async (pattern, expected) => {
    expect(await find({ pattern })).toEqual(expected)
  })

  it('takes the pattern relative to root and gives paths relative to the workspace', async () => {
    expect(await find({ pattern: '*.ts', root: 'src' })).toEqual(['src/.hidden.ts', 'src/index.ts'])
  })

  it.each([{ pattern: 'dist/x.js' }, { pattern: '*.js', root: 'dist' }, { pattern: 'dist/**/*.js' }])(
    'finds ignored files when their folder is named: %j',
    async (args) => {
      expect(await find(args)).toEqual(['dist/x.js'])
    },
  )

  it('finds all of a skipped folder that is named, also what is below it', async () => {
    const root = await tempWorkspace({
      'node_modules/p/dist/a.js': '',
      'node_modules/p/node_modules/q/b.js': '',
      'dist/c.js': '',
    })
    const all = 'node_modules/p/dist/a.js\nnode_modules/p/node_modules/q/b.js'

    expect(textOfResult(await callTool(glob, root, { pattern: '**/*.js', root: 'node_modules' }))).toBe(all)
    expect(textOfResult(await callTool(glob, root, { pattern: 'node_modules/**/*.js' }))).toBe(all)
  })

  it('searches a workspace that lies inside a skipped folder', async () => {
    const root = await tempWorkspace({ 'node_modules/ws/a.ts': '', 'node_modules/ws/node_modules/b.ts': '' })

    const result = await callTool(glob, join(root, 'node_modules/ws'), { pattern: '**/*.ts' })

    expect(textOfResult(result)).toBe('a.ts\n[skipped folders: node_modules]')
  })

  it('hides denied files and does not count them', async () => {
    const root = await tempWorkspace({ '.env': '', '.ssh/dist/key': '', 'a.pem': '', 'b.txt': '' })

    const result = await callTool(glob, root, { pattern: '**' })

    expect(textOfResult(result)).toBe('b.txt')
    expect(result.details).toEqual({ files: ['b.txt'], isTruncated: false, skippedFolders: [] })
  })

  it('neither follows nor lists links', async () => {
    const root = await tempWorkspace({ 'real/a.txt': '', 'b.txt': '' })
    await symlink('/etc', join(root, 'esc'))
    await symlink('.', join(root, 'self'))
    await symlink('b.txt', join(root, 'c.txt'))
    await symlink('real', join(root, 'inner'))

    expect(textOfResult(await callTool(glob, root, { pattern: '**' }))).toBe('b.txt\nreal/a.txt')
    expect(textOfResult(await callTool(glob, root, { pattern: 'esc/passwd' }))).toBe('no matches')
    expect(textOfResult(await callTool(glob, root, { pattern: 'inner/*' }))).toBe('no matches')
  })

  it('lists regular files only', async () => {
    const root = await tempWorkspace({ 'a.txt': '' })
    await makeSocket(join(root, 'socket'))
    await mkdir(join(root, 'folder'))

    expect(textOfResult(await callTool(glob, root, { pattern: '*' }))).toBe('a.txt')
  })

  it('leaves out names that would forge lines, and says so', async () => {
    const root = await tempWorkspace({ 'a\nb.txt': '', 'c.txt': '', 'esc\u001b[0m': '' })

    expect(textOfResult(await callTool(glob, root, { pattern: '*' }))).toBe(
      'c.txt\n[skipped 2 files whose names hold control characters]',
    )
  })

  it('stops after 500 files, the first in order, and says so', async () => {
    const root = await tempWorkspace()
    const names = Array.from({ length: 501 }, (_, index) => `f${String(index).padStart(4, '0')}`)
    await addFiles(root, Object.fromEntries(names.map((name) => [name, ''])))

    const lines = textOfResult(await callTool(glob, root, { pattern: '*' })).split('\n')

    expect(lines).toEqual([...names.slice(0, 500), '[more than 500 matches; refine the pattern]'])
  })

  it('gives exactly 500 files without a notice', async () => {
    const files = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, '']))

    expect(await find({ pattern: '*' }, files)).toHaveLength(500)
  })

  it('returns no more bytes than the guard allows', async () => {
    const root = await tempWorkspace({ aaaa: '', bbbb: '', cccc: '' })
    const small = globDefinition({ readGuard: createReadGuard({ deny: [], maxReadBytes: 10 }) })

    expect(textOfResult(await callTool(small, root, { pattern: '*' }))).toBe(
      'aaaa\nbbbb\n[more than 2 matches; refine the pattern]',
    )
  })

  it.each([
    ['../**', /climb/],
    ['src/../../x', /climb/],
    ['\\.\\./x', /climb/],
    ['{a,..}/x', /climb/],
    ['/etc/*', /relative/],
    ['{a,b}'.repeat(20), /braces/],
    ['src/[a', /\[/],
    ['src/[z-a]', /\[/],
    ['./', /names no file/],
  ])('refuses the pattern %s', async (pattern, message) => {
    const tool = await buildTool(glob, await tempWorkspace())

    const prepared = tool.prepareCall(newContext(), JSON.stringify({ pattern }))

    await expect(prepared).rejects.toThrow(message)
    await expect(prepared).rejects.toMatchObject({ code: 'invalid_pattern' })
  })

  // what backtracks here takes for ever
  it('matches a hostile pattern against a long name', async () => {
    const root = await tempWorkspace({ [`${'a'.repeat(250)}`]: '', [`${'a/'.repeat(60)}a`]: '' })

    const names = await callTool(glob, root, { pattern: `${'*a'.repeat(100)}b` })
    const folders = await callTool(glob, root, { pattern: `${'**/a/'.repeat(30)}b` })

    expect([names, folders].map(textOfResult)).toEqual(['no matches', 'no matches'])
  })

  it.each([
    [{ pattern: '*', root: 'missing' }, 'not_found'],
    [{ pattern: '*', root: 'README.md' }, 'not_a_folder'],
  ])('answers %j with %s', async (args, code) => {
    const root = await tempWorkspace(tree)

    expect(await callTool(glob, root, args)).toMatchObject({ isError: true, code })
  })

  it('says that it was interrupted, or ran out of time', async () => {
    const root = await tempWorkspace(tree)
    const late = globDefinition({ readGuard }, { deadline: () => AbortSignal.abort() })

    expect(await callTool(glob, root, { pattern: '*' }, AbortSignal.abort())).toMatchObject({ code: 'interrupted' })
    expect(await callTool(late, root, { pattern: '*' })).toMatchObject({ isError: true, code: 'timed_out' })
  })
})
