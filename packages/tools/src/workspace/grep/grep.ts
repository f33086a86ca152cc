import { lstat } from 'node:fs/promises'
import { headWithin } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import type { ReadGuard } from '../../contract/read-guard.ts'
import { readRequirement, readTreeRequirement } from '../../contract/request.ts'
import { pathArgument } from '../../files/path-argument.ts'
import { displayPath } from '../../files/printable.ts'
import { workspaceError } from '../codes.ts'
import { isLocalDisk } from '../local-disk.ts'
import { startsInNoise } from '../noise.ts'
import { approvablePath, approvedPath } from '../path/approved-path.ts'
import { searchRoot } from '../path/search-root.ts'
import { patternArgument } from '../pattern-argument.ts'
import { type ReadToolDeps, type ReadToolOptions, requireReadGuard } from '../read-tool.ts'
import { withinDeadline } from '../within-deadline.ts'
import { runSearch } from './run-search.ts'
import { maxFileBytes } from './search.ts'
import { compileSearchPattern } from './search-pattern.ts'

/** What an application may set for Grep. */
export interface GrepOptions extends ReadToolOptions {
  /** The ripgrep program, a name on the PATH or an absolute path; `false` never uses it. Default `rg`. Missing is no error. */
  readonly ripgrep?: string | false | undefined
}

const inputSchema = z.strictObject({
  pattern: patternArgument('A regular expression in RE2 syntax, matched line by line.'),
  path: pathArgument(
    'The file or folder to search, relative to the workspace. Default: the whole workspace.',
  ).optional(),
  recursive: z.boolean().optional().describe('Also search the folders below. Default true.'),
  ignore_case: z.boolean().optional().describe('Match without regard to case. Default false.'),
  context_lines: z.int().min(0).max(20).optional().describe('How many lines to show around each match. Default 0.'),
  include_all: z.boolean().optional().describe('Also search folders that are skipped otherwise. Default false.'),
})

const description =
  'Search the text of files of the workspace with a regular expression: RE2 syntax, no look-around, no ' +
  'back-references; \\w, \\d, \\s and \\b know ASCII only. A match comes as `path:line:text`, a line around it as ' +
  '`path-line-text`. Links are not followed. Binary files and files over 32 MiB are left out. Folders such as .git, ' +
  'node_modules, dist and build are skipped, and the result says which; name one in `path`, and all in it is searched, ' +
  'or set include_all. .gitignore is not read.'

/** The tool `Grep`: lines by regular expression, with ripgrep where there is one and re2js where not. Needs a workspace. */
export function grepDefinition(deps: ReadToolDeps, options: GrepOptions = {}): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'Grep',
    description,
    requires: ['workspace'],
    inputSchema,
    replaySafe: true,
    setup: () => requireReadGuard('Grep', deps),
    prepare: (input, { workspace, deps: guard }) => prepareSearch(input, workspace.root, guard),
    run: (approved, { workspace, deps: guard, signal }) =>
      withinDeadline('Grep', signal, options, async (limited) => {
        const path = await approvedPath(workspace.root, approved, guard)
        await checkStart(path.canonical, approved)
        const request = {
          ...approved,
          path: path.canonical,
          isFile: approved.kind === 'file',
          includeNoise: approved.includeNoise || startsInNoise(path.root, path.canonical),
          isLocal: await isLocalDisk(path.canonical),
          pattern: compileSearchPattern(approved.pattern, approved.ignoreCase),
          guard,
          signal: limited,
        }
        return await runSearch(path.root, request, options.ripgrep ?? 'rg')
      }),
    auditSummary: ({ pattern, input }) => `Grep ${shortPattern(pattern)} in ${displayPath(input)}`,
  })
}

interface ApprovedSearch {
  readonly pattern: string
  readonly ignoreCase: boolean
  readonly input: string
  readonly canonical: string
  readonly kind: 'file' | 'folder'
  readonly recursive: boolean
  readonly contextLines: number
  readonly includeNoise: boolean
}

async function prepareSearch(input: z.infer<typeof inputSchema>, root: string, guard: ReadGuard) {
  const { pattern, path = '.', ignore_case: ignoreCase = false } = input
  compileSearchPattern(pattern, ignoreCase)
  const { canonical } = await approvablePath(root, path, guard)
  // whether it exists is not told before it is approved
  const isFile = (await lstat(canonical).catch(() => undefined))?.isFile() === true
  const display = displayPath(path)
  const artifact: ApprovedSearch = {
    pattern,
    ignoreCase,
    input: path,
    canonical,
    kind: isFile ? 'file' : 'folder',
    recursive: input.recursive ?? true,
    contextLines: input.context_lines ?? 0,
    includeNoise: input.include_all ?? false,
  }
  return {
    summary: `search ${display} for \`${displayPath(pattern)}\``,
    artifact,
    requirements: [isFile ? readRequirement(canonical, display) : readTreeRequirement(canonical, display)],
  }
}

/** The start of a pattern, in one line. */
function shortPattern(pattern: string): string {
  const line = displayPath(pattern)
  const head = headWithin(line, 60)
  return `\`${head === line ? line : `${head}…`}\``
}

/** @throws ToolError when a search cannot start there, or not as what was approved. */
async function checkStart(canonical: string, approved: ApprovedSearch): Promise<void> {
  const display = displayPath(approved.input)
  const { kind, size } = await searchRoot(canonical, display, ['file', 'folder'])
  if (kind !== approved.kind) {
    throw workspaceError('resolution_changed', `${display} is no longer a ${approved.kind}; call again`)
  }
  if (kind === 'file' && size > maxFileBytes) {
    throw workspaceError('too_large', `${display} has ${size} bytes; Grep reads files up to ${maxFileBytes}`)
  }
}
