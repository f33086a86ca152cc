import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { createFileObservations, type ToolDefinition } from '@looprig/tools'
import { type ConformanceCase, type ConformanceWorld, runToolConformance } from '@looprig/tools/testing'
import {
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
  workspaceToolCodes,
  writeFileDefinition,
} from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import { describe, it } from 'vitest'
import { readGuard } from '../support/read-guard.ts'
import { canMakePipes, makePipe, makeSocket } from '../support/special-file.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'
import { loopOver } from '../support/write-loop.ts'

const deps = { readGuard }
const secret = 'SENTINEL-CONTENT'

/** A workspace with one of everything, beside a folder that no tool may name. */
async function openWorld(args: JsonObject, options: { isRead?: boolean | undefined } = {}): Promise<ConformanceWorld> {
  const top = await tempWorkspace({
    'ws/a.txt': `one ${secret}\ntwo ${secret}\n`,
    'ws/dir/b.txt': `three ${secret}\n`,
    'ws/.env': `KEY=${secret}`,
    'ws/bin': Buffer.from([0, 1, 2]),
    'ws/latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
    'outside/a.txt': secret,
  })
  const root = join(top, 'ws')
  await mkdir(join(root, 'folder'))
  await symlink('a.txt', join(root, 'link.txt'))
  await symlink('../outside', join(root, 'esc'))
  await symlink('loop', join(root, 'loop'))
  if (args.path === 'socket') await makeSocket(join(root, 'socket'))
  if (args.path === 'fifo') makePipe(join(root, 'fifo'))
  const workspace = { root, observations: createFileObservations() }
  if (options.isRead === true) {
    const loop = await loopOver(workspace)
    await loop.call('ReadFile', { path: 'a.txt' })
  }
  return { args, bindings: { workspace }, observe: () => picture(top) }
}

/** Names, modes and contents of all there is. */
function picture(folder: string): unknown {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return entry.isFile() ? [path, statSync(path).mode, readFileSync(path, 'latin1')] : [path]
    })
    .sort()
}

function succeeds(name: string, args: JsonObject, more: Partial<ConformanceCase> & { isRead?: boolean } = {}) {
  const { isRead, ...rest } = more
  return {
    name,
    open: () => openWorld(args, { isRead }),
    codes: workspaceToolCodes,
    sentinels: [secret],
    ...rest,
  } satisfies ConformanceCase
}

function fails(code: string, args: JsonObject, more: { isRead?: boolean } = {}): ConformanceCase {
  return {
    ...succeeds(`${JSON.stringify(args).slice(0, 80)}`, args, more),
    fails: code,
  }
}

/** Paths that no tool takes for a file that it may touch. */
function hostilePaths(args: JsonObject, more: { isRead?: boolean } = {}): ConformanceCase[] {
  const refusals: [string, string][] = [
    ['../outside/a.txt', 'outside_workspace'],
    ['esc/a.txt', 'outside_workspace'],
    ['loop', 'outside_workspace'],
    ['link.txt', 'symlink_refused'],
    ['.env', 'read_denied'],
    ['folder', 'not_a_file'],
    ['socket', 'not_a_file'],
    ...(canMakePipes ? ([['fifo', 'not_a_file']] satisfies [string, string][]) : []),
  ]
  return refusals.map(([path, code]) => fails(code, { ...args, path }, more))
}

const registrar = { describe, it }

runToolConformance(
  readFileDefinition(deps),
  [
    succeeds('a file', { path: 'a.txt', start_line: 2 }),
    ...hostilePaths({}),
    fails('not_found', { path: 'missing.txt' }),
    fails('binary_file', { path: 'bin' }),
    fails('not_utf8', { path: 'latin1.txt' }),
    fails('line_out_of_range', { path: 'a.txt', start_line: 9 }),
  ],
  registrar,
)

runToolConformance(
  writeFileDefinition(deps),
  [
    succeeds(
      'a new file',
      { path: 'new/c.txt', content: `new ${secret}` },
      { accepts: { content: ['overlong', 'empty'] } },
    ),
    succeeds(
      'a file that was read',
      { path: 'a.txt', content: secret },
      { isRead: true, accepts: { content: ['overlong', 'empty'] } },
    ),
    ...hostilePaths({ content: secret }),
    fails('stale_file', { path: 'a.txt', content: secret }),
    fails('stale_file', { path: 'dir/b.txt', content: secret }, { isRead: true }),
    fails('not_a_folder', { path: 'a.txt/below', content: secret }),
    fails('invalid_arguments', { path: 'a\nb', content: secret }),
  ],
  registrar,
)

runToolConformance(
  editFileDefinition(deps),
  [
    succeeds(
      'a file that was read',
      { path: 'a.txt', old: `one ${secret}`, new: `1 ${secret}` },
      { isRead: true, accepts: { new: ['overlong', 'empty'] } },
    ),
    succeeds(
      'all places',
      { path: 'a.txt', old: secret, new: 'x', replace_all: true },
      {
        isRead: true,
        accepts: { new: ['overlong', 'empty'] },
      },
    ),
    ...hostilePaths({ old: secret, new: 'x' }, { isRead: true }),
    fails('stale_file', { path: 'a.txt', old: `one ${secret}`, new: secret }),
    fails('no_match', { path: 'a.txt', old: `none ${secret}`, new: secret }, { isRead: true }),
    fails('ambiguous_match', { path: 'a.txt', old: secret, new: 'x' }, { isRead: true }),
    fails('not_found', { path: 'missing.txt', old: secret, new: 'x' }),
    fails('not_utf8', { path: 'latin1.txt', old: 'caf', new: secret }),
  ],
  registrar,
)

runToolConformance(
  globDefinition(deps),
  [
    succeeds('a pattern', { pattern: '**/*.txt' }, { accepts: { root: [] } }),
    fails('invalid_pattern', { pattern: '../*' }),
    fails('outside_workspace', { pattern: '*', root: 'esc' }),
    fails('not_a_folder', { pattern: '*', root: 'a.txt' }),
    fails('not_found', { pattern: '*', root: 'missing' }),
  ],
  registrar,
)

const engines: readonly [string, ToolDefinition][] = [
  ['ripgrep', grepDefinition(deps, { ripgrep: rgPath })],
  ['re2js', grepDefinition(deps, { ripgrep: false })],
]
for (const [engine, definition] of engines) {
  runToolConformance(
    definition,
    [
      succeeds(`a pattern, with ${engine}`, { pattern: 'one', context_lines: 1 }),
      fails('invalid_pattern', { pattern: '(?=x)' }),
      fails('outside_workspace', { pattern: 'x', path: 'esc' }),
      fails('not_a_file', { pattern: 'x', path: 'socket' }),
      fails('read_denied', { pattern: 'x', path: '.env' }),
    ],
    registrar,
  )
}

runToolConformance(
  readFileDefinition(deps),
  [
    {
      ...succeeds('a file without the right to read it', { path: 'a.txt' }),
      open: async () => {
        const world = await openWorld({ path: 'a.txt' })
        const root = world.bindings?.workspace?.root ?? ''
        // the superuser reads anything
        if (process.getuid?.() === 0) return { ...world, args: { path: '.env' } }
        await chmod(join(root, 'a.txt'), 0o000)
        return { ...world, observe: undefined }
      },
      fails: process.getuid?.() === 0 ? 'read_denied' : 'unreadable',
    },
  ],
  registrar,
)
