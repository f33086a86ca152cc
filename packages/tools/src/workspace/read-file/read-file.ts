import type { JsonObject } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import { readRequirement } from '../../contract/request.ts'
import { errorResult, type ToolResult, textResult } from '../../contract/result.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import { type WorkspaceToolCode, workspaceError } from '../codes.ts'
import { approvablePath, approvedPath } from '../path/approved-path.ts'
import { type OpenFile, openRegularFile } from '../path/open-regular-file.ts'
import { pathArgument } from '../path/path-argument.ts'
import { displayPath } from '../path/printable.ts'
import { type ReadToolDeps, type ReadToolOptions, requireReadGuard } from '../read-tool.ts'
import { withinDeadline } from '../within-deadline.ts'
import { fileChunks, fileHead } from './file-chunks.ts'
import { type LineWindow, readLineWindow, UnshowableLineError, type WindowRequest } from './line-window.ts'

const inputSchema = z
  .strictObject({
    path: pathArgument('The file, relative to the workspace.'),
    start_line: z.int().min(1).optional().describe('The first line to show, from 1. Default 1.'),
    end_line: z.int().min(1).optional().describe('The last line to show. Default: the end of the file.'),
  })
  .refine(({ start_line = 1, end_line = Number.MAX_SAFE_INTEGER }) => end_line >= start_line, {
    path: ['end_line'],
    message: 'must not be before start_line',
  })

const description =
  'Read a UTF-8 text file of the workspace. Each line comes as its number, a tab and its text. ' +
  'A long file comes in parts: a last line in square brackets tells the start_line to go on with. ' +
  'Links are refused; use the real path.'

interface ApprovedRead {
  readonly input: string
  readonly canonical: string
  readonly startLine: number
  readonly endLine: number
}

/** The tool `ReadFile`: one text file, line by line, with numbers. Needs a workspace. */
export function readFileDefinition(
  deps: ReadToolDeps,
  options: ReadToolOptions = {},
): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'ReadFile',
    description,
    requires: ['workspace'],
    inputSchema,
    replaySafe: true,
    setup: () => requireReadGuard('ReadFile', deps),
    prepare: async (input, { workspace, deps: guard }) => {
      const { canonical } = await approvablePath(workspace.root, input.path, guard)
      const display = displayPath(input.path)
      const artifact: ApprovedRead = {
        input: input.path,
        canonical,
        startLine: input.start_line ?? 1,
        endLine: input.end_line ?? Number.MAX_SAFE_INTEGER,
      }
      return { summary: `read ${display}`, artifact, requirements: [readRequirement(canonical, display)] }
    },
    run: (approved, { workspace, deps: guard, signal }) =>
      withinDeadline('ReadFile', signal, options, async (limited) => {
        const path = await approvedPath(workspace.root, approved, guard)
        const file = await openRegularFile(path.lexical, path.canonical, displayPath(approved.input))
        try {
          return await showFile(file, approved, guard.maxReadBytes, limited)
        } finally {
          await file.handle.close()
        }
      }),
    auditSummary: ({ input }) => `ReadFile ${displayPath(input)}`,
  })
}

async function showFile(
  file: OpenFile,
  approved: Frozen<ApprovedRead>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  const display = displayPath(approved.input)
  const head = await fileHead(file.handle)
  if (head.includes(0)) return binaryFile(display, file.size)
  const { startLine, endLine } = approved
  try {
    const window = await readLineWindow(fileChunks(file.handle, signal), { startLine, endLine, maxBytes })
    return showWindow(window, { startLine, endLine, maxBytes }, display, file.size)
  } catch (error) {
    if (!(error instanceof UnshowableLineError)) throw error
    if (error.reason === 'binary') return binaryFile(display, file.size)
    return refuse('not_utf8', `${display}: line ${error.line} is not valid UTF-8`, { line: error.line })
  }
}

function binaryFile(display: string, size: number): ToolResult {
  return refuse('binary_file', `${display} is a binary file of ${size} bytes; it cannot be shown as text`, {
    sizeBytes: size,
  })
}

function refuse(code: WorkspaceToolCode, text: string, details: JsonObject): ToolResult {
  return errorResult(code, text, { details })
}

function showWindow(window: LineWindow, request: WindowRequest, display: string, sizeBytes: number): ToolResult {
  const { shown, lineCount } = window
  if (lineCount === 0) return textResult('[the file is empty]', { details: { path: display, sizeBytes, lineCount } })
  if (shown.length === 0) {
    throw workspaceError('line_out_of_range', `start_line is past the end: ${display} has ${lineCount} lines`)
  }
  const details = {
    path: display,
    sizeBytes,
    startLine: request.startLine,
    endLine: request.startLine + shown.length - 1,
    isTruncated: window.nextLine !== undefined || window.clipped.length > 0,
  }
  return textResult([...shown, ...notices(window, request)].join('\n'), { details })
}

function notices(window: LineWindow, { startLine }: WindowRequest): string[] {
  const clipped = window.clipped.map(
    ({ line, bytes, shownBytes }) =>
      `[line ${line} has ${bytes} bytes; only its first ${shownBytes} are shown; Grep shows the parts that match]`,
  )
  if (window.nextLine === undefined) return clipped
  const total = window.countIsPartial ? `more than ${window.lineCount}` : String(window.lineCount)
  const last = startLine + window.shown.length - 1
  return [...clipped, `[lines ${startLine}-${last} of ${total}; continue with start_line ${window.nextLine}]`]
}
