import { createHash } from 'node:crypto'
import { isLooprigError, type JsonObject } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import { DefinitionBuildError } from '../../contract/errors.ts'
import type { FileObservation } from '../../contract/file-observations.ts'
import { readRequirement } from '../../contract/request.ts'
import { errorResult, type ToolResult } from '../../contract/result.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import { type OpenFile, openRegularFile } from '../../files/open-regular-file.ts'
import { pathArgument } from '../../files/path-argument.ts'
import { displayPath } from '../../files/printable.ts'
import type { ResolvedPath } from '../../files/resolved-path.ts'
import type { WorkspaceToolCode } from '../codes.ts'
import { approvablePath, approvedPath, refuseFinalLink } from '../path/approved-path.ts'
import { type ReadToolDeps, type ReadToolOptions, requireReadGuard } from '../read-tool.ts'
import { withinDeadline } from '../within-deadline.ts'
import { maxKnownBytes } from '../write/current-file.ts'
import { asUtf8, fileChunks, fileHead } from './file-chunks.ts'
import { detectKind, type FileKind } from './file-kind.ts'
import { readLineWindow, UnshowableLineError } from './line-window.ts'
import { showImage } from './show-image.ts'
import { showWindow } from './show-window.ts'

/** What an application may set for ReadFile. */
export interface ReadFileOptions extends ReadToolOptions {
  /**
   * An absolute path is one of the host, so that files outside of the workspace can be read. Default false: it is one
   * below the workspace. Such a read does not let the loop write anything.
   */
  readonly hostReads?: boolean | undefined
  /** The largest picture that is shown, in bytes; a larger one is a `binary_file`. 0 shows none. Default 375,000. */
  readonly maxImageBytes?: number | undefined
}

/** As base64 this fits into the most bytes that a session keeps of a result, unless it is told otherwise. */
const defaultMaxImageBytes = 375_000

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
  'Read a text file of the workspace. Each line comes as its number, a tab and its text. ' +
  'A long file comes in parts: a last line in square brackets tells the start_line to go on with. ' +
  'PNG, JPEG, GIF and WebP come as pictures. Links are refused; use the real path.'

const hostNotice = ' An absolute path may lead out of the workspace, where that is allowed.'

interface ApprovedRead {
  readonly input: string
  readonly canonical: string
  readonly startLine: number
  readonly endLine: number
}

/**
 * The tool `ReadFile`: one text file, line by line, with numbers, or a picture. Needs a workspace.
 *
 * @throws DefinitionBuildError `invalid_definition` when `maxImageBytes` is no number of bytes.
 */
export function readFileDefinition(
  deps: ReadToolDeps,
  options: ReadFileOptions = {},
): ToolDefinition<readonly ['workspace']> {
  const { hostReads: host, maxImageBytes = defaultMaxImageBytes } = options
  if (!Number.isSafeInteger(maxImageBytes) || maxImageBytes < 0) {
    throw new DefinitionBuildError('invalid_definition', 'ReadFile', 'maxImageBytes')
  }
  return defineTool({
    name: 'ReadFile',
    description: host === true ? description + hostNotice : description,
    requires: ['workspace'],
    inputSchema,
    replaySafe: true,
    setup: () => requireReadGuard('ReadFile', deps),
    prepare: async (input, { workspace, deps: guard }) => {
      const { canonical } = await approvablePath(workspace.root, input.path, guard, { host })
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
        const path = await approvedPath(workspace.root, approved, guard, { host })
        const read = (observation: FileObservation) =>
          readApproved(approved, path, observation, {
            maxBytes: guard.maxReadBytes,
            maxImageBytes,
            signal: limited,
          })
        if (!path.isContained) return await read({ current: 'unknown' })
        return await workspace.observations.withPath(path.canonical, read)
      }),
    auditSummary: ({ input }) => `ReadFile ${displayPath(input)}`,
  })
}

interface ReadLimits {
  readonly maxBytes: number
  readonly maxImageBytes: number
  readonly signal: AbortSignal
}

/** Reads the file, and notes what the loop knows of it then: only what all of its bytes went into. */
async function readApproved(
  approved: Frozen<ApprovedRead>,
  path: ResolvedPath,
  observation: FileObservation,
  limits: ReadLimits,
): Promise<ToolResult> {
  const display = displayPath(approved.input)
  await refuseFinalLink(path, display)
  const file = await openRegularFile(path.base, path.canonical, display).catch((error: unknown) => {
    if (isLooprigError(error) && error.code === 'not_found') observation.current = 'absent'
    throw error
  })
  try {
    const kind = await detectKind(await fileHead(file.handle))
    if (kind.kind === 'text') return await readText(file, kind, approved, observation, limits)
    if (kind.kind === 'binary' || file.size > limits.maxImageBytes)
      return binaryFile(display, file.size, kind.mediaType)
    const { content, hash } = await showImage(file, kind.mediaType, { display, maxBytes: limits.maxImageBytes })
    observation.current = { hash }
    const details = { path: display, sizeBytes: file.size, mediaType: kind.mediaType }
    return { content, isError: false, details }
  } finally {
    await file.handle.close()
  }
}

async function readText(
  { handle, size: sizeBytes }: OpenFile,
  { encoding }: Extract<FileKind, { kind: 'text' }>,
  { input, startLine, endLine }: Frozen<ApprovedRead>,
  observation: FileObservation,
  { maxBytes, signal }: ReadLimits,
): Promise<ToolResult> {
  const display = displayPath(input)
  const readAll = sizeBytes <= maxKnownBytes
  const hash = readAll ? createHash('sha256') : undefined
  const request = { startLine, endLine, maxBytes, readAll }
  try {
    const window = await readLineWindow(asUtf8(fileChunks(handle, signal, hash), encoding), request)
    const result = showWindow(window, request, { display, sizeBytes, encoding })
    if (hash !== undefined) observation.current = { hash: hash.digest('hex') }
    return result
  } catch (error) {
    if (error instanceof UnshowableLineError && error.reason === 'binary') {
      return binaryFile(display, sizeBytes, 'application/octet-stream')
    }
    if (error instanceof UnshowableLineError) {
      return refuse('not_utf8', `${display}: line ${error.line} is not valid UTF-8`, { line: error.line })
    }
    if (encoding !== 'utf-8' && error instanceof TypeError) {
      return refuse('not_utf8', `${display} is not the UTF-16 that its byte order mark says`, { encoding })
    }
    throw error
  }
}

function binaryFile(display: string, sizeBytes: number, mediaType: string): ToolResult {
  const text = `${display} is a binary file (${mediaType}) of ${sizeBytes} bytes; it cannot be shown as text`
  return refuse('binary_file', text, { sizeBytes, mediaType })
}

function refuse(code: WorkspaceToolCode, text: string, details: JsonObject): ToolResult {
  return errorResult(code, text, { details })
}
