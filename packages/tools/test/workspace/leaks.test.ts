import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import {
  buildTools,
  createFileObservations,
  createWorkspaceCoordinator,
  type Tool,
  type ToolDefinition,
  type ToolResult,
} from '@looprig/tools'
import {
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
  writeFileDefinition,
} from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'
import { invokePrepared, newContext, newIdentity } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'
import { makeSocket } from '../support/special-file.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

/** In contents, in arguments that are content, in the path of the workspace, and in names beside and outside of it. */
const sentinels = ['SENTINEL-CONTENT', 'SENTINEL-ARGUMENT', 'SENTINEL-HOST', 'SENTINEL-OUTSIDE', 'SENTINEL-DENIED']

const definitions: readonly ToolDefinition[] = [
  readFileDefinition({ readGuard }),
  writeFileDefinition({ readGuard }),
  editFileDefinition({ readGuard }),
  globDefinition({ readGuard }),
  grepDefinition({ readGuard }, { ripgrep: rgPath }),
]

async function openWorld() {
  const top = await tempWorkspace({
    'SENTINEL-HOST/ws/a.txt': 'SENTINEL-CONTENT twice SENTINEL-CONTENT\n',
    'SENTINEL-HOST/ws/dir/b.txt': 'SENTINEL-CONTENT\n',
    'SENTINEL-HOST/ws/latin1': Buffer.from('SENTINEL-CONTENT caf\xe9\n', 'latin1'),
    'SENTINEL-HOST/ws/bin': Buffer.from('SENTINEL-CONTENT\0'),
    'SENTINEL-HOST/ws/.env': 'SENTINEL-DENIED',
    'SENTINEL-HOST/ws/.ssh/SENTINEL-DENIED': 'SENTINEL-DENIED',
    'SENTINEL-HOST/SENTINEL-OUTSIDE/a.txt': 'SENTINEL-CONTENT',
  })
  const root = join(top, 'SENTINEL-HOST/ws')
  await symlink(join(top, 'SENTINEL-HOST/SENTINEL-OUTSIDE'), join(root, 'esc'))
  await symlink(join(top, 'SENTINEL-HOST/SENTINEL-OUTSIDE/none'), join(root, 'dangling'))
  await symlink('a.txt', join(root, 'link'))
  await symlink('loop', join(root, 'loop'))
  await symlink('.env', join(root, 'innocent'))
  await mkdir(join(root, 'folder'))
  await makeSocket(join(root, 'socket'))
  await writeFile(join(root, 'locked'), 'SENTINEL-CONTENT')
  await chmod(join(root, 'locked'), 0o000)
  const workspace = { root, coordinator: createWorkspaceCoordinator(), observations: createFileObservations() }
  const tools = new Map<string, Tool>()
  for (const definition of definitions) {
    for (const tool of await buildTools(definition, { ...newIdentity(), workspace })) tools.set(tool.info.name, tool)
  }
  return { top, root, tools }
}

/** What may be shown to anyone of a call: all but the text of a success, which is for the model that asked. */
async function told(tool: Tool | undefined, args: JsonObject, between?: () => Promise<void>): Promise<string> {
  if (tool === undefined) throw new Error('no such tool')
  const context = newContext()
  try {
    const prepared = await tool.prepareCall(context, JSON.stringify(args))
    await between?.()
    const result: ToolResult = await invokePrepared(tool, context, prepared)
    const { content, details, code } = result
    return JSON.stringify([
      prepared.request.summary,
      prepared.request.requirements.map(({ description }) => description),
      tool.auditSummary(prepared.artifact),
      details,
      code,
      result.isError ? content : 'a success',
    ])
  } catch (error) {
    return String(error)
  }
}

const paths = [
  ...[
    'a.txt',
    'dir/b.txt',
    'new.txt',
    'latin1',
    'bin',
    'locked',
    '.env',
    'innocent',
    '.ssh',
    'missing/x',
    'a.txt/below',
  ],
  ...['esc', 'esc/a.txt', 'dangling', 'link', 'loop', 'folder', 'socket', '../x', '/', '.', 'x'.repeat(300)],
]

const calls: readonly (readonly [string, (path: string) => JsonObject])[] = [
  ['ReadFile', (path) => ({ path })],
  ['ReadFile', (path) => ({ path, start_line: 99 })],
  ['WriteFile', (path) => ({ path, content: 'SENTINEL-ARGUMENT' })],
  ['EditFile', (path) => ({ path, old: 'SENTINEL-CONTENT', new: 'SENTINEL-ARGUMENT' })],
  ['EditFile', (path) => ({ path, old: 'SENTINEL-ARGUMENT', new: 'x' })],
  ['Glob', (root) => ({ pattern: '*', root })],
  ['Grep', (path) => ({ pattern: 'CONTENT', path })],
]

describe('what the workspace tools tell', () => {
  it.each(calls)('is nothing of contents, of places outside, or of what is denied: %s %#', async (name, argsFor) => {
    const { tools } = await openWorld()
    for (const path of paths) {
      const text = await told(tools.get(name), argsFor(path))

      for (const sentinel of sentinels) expect(text, `${name} ${path}`).not.toContain(sentinel)
    }
  })

  it('is nothing of where a path leads after it was swapped', async () => {
    for (const [name, argsFor] of calls) {
      const { top, root, tools } = await openWorld()
      await told(tools.get('ReadFile'), { path: 'dir/b.txt' })
      const isSearch = name === 'Glob' || name === 'Grep'
      const text = await told(tools.get(name), argsFor(isSearch ? 'dir' : 'dir/b.txt'), async () => {
        await rename(join(root, 'dir'), join(top, 'moved'))
        await symlink(join(top, 'SENTINEL-HOST/SENTINEL-OUTSIDE'), join(root, 'dir'))
      })

      for (const sentinel of sentinels) expect(text, name).not.toContain(sentinel)
    }
  })

  it('is nothing of a workspace that is gone', async () => {
    for (const [name, argsFor] of calls) {
      const { root, tools } = await openWorld()
      const text = await told(tools.get(name), argsFor('a.txt'), () => rm(root, { recursive: true }))

      for (const sentinel of sentinels) expect(text, name).not.toContain(sentinel)
    }
  })

  it('is no name of a denied file in what a model reads of a search', async () => {
    const { root, tools } = await openWorld()
    for (const [name, args] of [
      ['Glob', { pattern: '**' }],
      ['Glob', { pattern: '{.env,.ssh/*}' }],
      ['Grep', { pattern: 'SENTINEL-.*' }],
    ] as const) {
      const tool = tools.get(name)
      const context = newContext()
      const prepared = await tool?.prepareCall(context, JSON.stringify(args))
      if (tool === undefined || prepared === undefined) throw new Error('no such tool')
      const text = JSON.stringify(await invokePrepared(tool, context, prepared))

      expect(text).not.toMatch(/DENIED|\.env|\.ssh|innocent|OUTSIDE/)
      expect(text).not.toContain(root)
    }
  })
})
