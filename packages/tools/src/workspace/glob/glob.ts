import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import { readTreeRequirement } from '../../contract/request.ts'
import { type ToolResult, textResult } from '../../contract/result.ts'
import { pathArgument } from '../../files/path-argument.ts'
import { displayPath } from '../../files/printable.ts'
import { skippedNotice, unprintableNotice } from '../noise.ts'
import { approvablePath, approvedPath } from '../path/approved-path.ts'
import { searchRoot } from '../path/search-root.ts'
import { patternArgument } from '../pattern-argument.ts'
import { type ReadToolDeps, type ReadToolOptions, requireReadGuard } from '../read-tool.ts'
import { withinDeadline } from '../within-deadline.ts'
import { type FoundFiles, findFiles } from './find-files.ts'
import { compileGlob } from './glob-pattern.ts'

/** The most files of one result. */
const maxFiles = 500

const inputSchema = z.strictObject({
  pattern: patternArgument(
    'For example `**/*.ts` or `src/*.{js,json}`, relative to root. Case matters; `*` also matches dotfiles.',
  ),
  root: pathArgument('The folder to search, relative to the workspace. Default: the whole workspace.').optional(),
})

const description =
  'Find files of the workspace by name. The pattern is relative to `root`; the results are relative to the workspace, ' +
  'sorted. Links are not followed. Folders such as .git, node_modules, dist and build are skipped, and the result says ' +
  'which; name one in `root`, or at the start of the pattern, to search it. .gitignore is not read.'

/** The tool `Glob`: files by name. Needs a workspace. */
export function globDefinition(
  deps: ReadToolDeps,
  options: ReadToolOptions = {},
): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'Glob',
    description,
    requires: ['workspace'],
    inputSchema,
    replaySafe: true,
    setup: () => requireReadGuard('Glob', deps),
    prepare: async ({ pattern, root: input = '.' }, { workspace, deps: guard }) => {
      compileGlob(pattern)
      const { canonical } = await approvablePath(workspace.root, input, guard)
      const display = displayPath(input)
      return {
        summary: `find \`${displayPath(pattern)}\` under ${display}`,
        artifact: { pattern, input, canonical },
        requirements: [readTreeRequirement(canonical, display)],
      }
    },
    run: (approved, { workspace, deps: guard, signal }) =>
      withinDeadline('Glob', signal, options, async (limited) => {
        const { root, canonical } = await approvedPath(workspace.root, approved, guard)
        await searchRoot(canonical, displayPath(approved.input), ['folder'])
        const found = await findFiles({
          root,
          folder: canonical,
          alternatives: compileGlob(approved.pattern),
          guard,
          signal: limited,
          maxFiles,
          maxBytes: guard.maxReadBytes,
        })
        return showFiles(found)
      }),
    auditSummary: ({ pattern, input }) => `Glob ${displayPath(pattern)} under ${displayPath(input)}`,
  })
}

function showFiles(found: FoundFiles): ToolResult {
  const { files, isTruncated, skippedFolders, unprintable } = found
  const lines = files.length === 0 && !isTruncated ? ['no matches'] : [...files]
  if (isTruncated) lines.push(`[more than ${files.length} matches; refine the pattern]`)
  lines.push(...unprintableNotice(unprintable), ...skippedNotice(skippedFolders))
  return textResult(lines.join('\n'), {
    details: { files: [...files], isTruncated, skippedFolders: [...skippedFolders].sort() },
  })
}
