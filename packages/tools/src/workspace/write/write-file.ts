import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import type { Preview } from '../../contract/preview.ts'
import { type ToolResult, textResult } from '../../contract/result.ts'
import { displayPath } from '../../files/printable.ts'
import { createFile, replaceFile } from '../../files/publish-file.ts'
import { workspaceError } from '../codes.ts'
import { type ReadToolDeps, requireReadGuard } from '../read-tool.ts'
import { type CurrentFile, openCurrent } from './current-file.ts'
import { previewDiff } from './diff-preview.ts'
import { keepForm } from './line-ends.ts'
import { factsOf } from './text-facts.ts'
import { decodeText } from './text-file.ts'
import { checkKnown, type KnownFile, knownFile, presentBase, type WriteBase, withPresent } from './write-base.ts'
import {
  preparePlace,
  takeTurn,
  type WriteToolOptions,
  type WriteTurn,
  writeNotices,
  writeRequirements,
  writtenPath,
} from './write-tool.ts'

/** The longest content, in characters. */
const maxContentLength = 8 * 1_024 * 1_024

/** A larger file is not compared for the preview, in bytes. */
const maxComparedBytes = 4 * 1_024 * 1_024

const inputSchema = z.strictObject({
  path: writtenPath('The file, relative to the workspace. Folders that are missing are made.'),
  content: z
    .string()
    .max(maxContentLength)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed text without NUL')
    .describe('The whole content of the file.'),
})

const description =
  'Write a whole text file of the workspace, all or nothing. A file that exists must have been read with ReadFile ' +
  'before it is overwritten, and again after anything else changed it; a new file needs no read. Line ends and byte ' +
  'order mark stay as the file has them, and so does its mode. To change a part of a file, use EditFile.'

const hostNotice =
  ' An absolute path may lead out of the workspace, where nothing can be undone: its folder must exist, and a person ' +
  'is asked each time.'

interface ApprovedWrite {
  readonly input: string
  readonly canonical: string
  readonly content: string
  readonly base: WriteBase
}

/** The tool `WriteFile`: one text file, atomically. Needs a workspace. */
export function writeFileDefinition(
  deps: ReadToolDeps,
  options: WriteToolOptions = {},
): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'WriteFile',
    description: options.hostWrites === true ? description + hostNotice : description,
    requires: ['workspace'],
    inputSchema,
    setup: () => requireReadGuard('WriteFile', deps),
    prepare: async (input, { workspace, deps: guard, signal, askedBefore }) => {
      const place = await preparePlace(workspace.root, input.path, guard, options)
      const { path, display } = place
      const file = await knownFile(workspace.observations, path, askedBefore)
      const { base, preview } = await withPresent(path, display, (current) =>
        describeWrite(input.content, { ...file, current, display, signal }),
      )
      const artifact: ApprovedWrite = { input: input.path, canonical: path.canonical, content: input.content, base }
      const verb = base === 'absent' ? 'create' : 'overwrite'
      return { summary: `${verb} ${display}`, artifact, requirements: writeRequirements(place, verb), preview }
    },
    run: (approved, { workspace, deps: guard, signal }) =>
      takeTurn({ toolName: 'WriteFile', approved, workspace, guard, options, signal, createFolders: true }, (turn) =>
        writeContent(approved, turn),
      ),
    writeTarget: ({ canonical }) => canonical,
    auditSummary: ({ input, content }) => `WriteFile ${displayPath(input)} (${Buffer.byteLength(content)} bytes)`,
  })
}

interface DescribedWrite extends KnownFile {
  readonly current: CurrentFile | undefined
  readonly display: string
  readonly signal: AbortSignal
}

async function describeWrite(
  content: string,
  { current, display, signal, ...file }: DescribedWrite,
): Promise<{ base: WriteBase; preview: Preview }> {
  if (current === undefined) return { base: 'absent', preview: await previewDiff(undefined, content, display) }
  const facts = await current.readFacts(signal)
  const base = presentBase(facts.hash, file)
  const { bytes } = keepForm(content, facts)
  try {
    const old = decodeText(await current.readBytes(maxComparedBytes), display)
    return { base, preview: await previewDiff(old.text, decodeText(bytes, display).text, display) }
  } catch {
    const text = `replaces all ${facts.size} bytes, which cannot be compared, by ${bytes.length} bytes`
    return { base, preview: { kind: 'text', text } }
  }
}

async function writeContent({ content, base }: ApprovedWrite, turn: WriteTurn): Promise<ToolResult> {
  const { folder, name, display, observation, signal } = turn
  const current = await openCurrent(folder, name, display)
  if (current === undefined) return createNew(content, base, turn)
  try {
    const known = typeof observation.current === 'object' ? observation.current.hash : undefined
    if (base === 'absent') {
      throw workspaceError('file_conflict', `${display} exists by now; read it before overwriting it`)
    }
    const facts = await current.readFacts(signal)
    if (facts.hash !== known) observation.current = 'unknown'
    checkKnown(facts.hash, { base, known: turn.path.isContained ? known : base.hash, display })
    const { bytes, kept } = keepForm(content, facts)
    const published = await replaceFile({ folder, name, display, bytes }, current.owner, () => {
      current.checkUnchanged()
      signal.throwIfAborted()
    })
    observation.current = { hash: factsOf(bytes).hash }
    return written(display, bytes.length, false, writeNotices(published, kept))
  } finally {
    await current.close()
  }
}

async function createNew(content: string, base: WriteBase, turn: WriteTurn): Promise<ToolResult> {
  const { folder, name, display, observation, signal } = turn
  if (base !== 'absent') {
    observation.current = 'absent'
    throw workspaceError('stale_file', `${display} was removed since this was prepared; write it again to create it`)
  }
  const { bytes } = keepForm(content, undefined)
  signal.throwIfAborted()
  const published = await createFile({ folder, name, display, bytes })
  observation.current = { hash: factsOf(bytes).hash }
  return written(display, bytes.length, true, writeNotices(published))
}

function written(display: string, sizeBytes: number, created: boolean, notices: readonly string[]): ToolResult {
  const text = [`wrote ${display} (${sizeBytes} bytes)`, ...notices].join('\n')
  return textResult(text, { details: { path: display, sizeBytes, created } })
}
