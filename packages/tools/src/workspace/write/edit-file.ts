import { assertNever } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import type { FileObservations } from '../../contract/file-observations.ts'
import type { Preview } from '../../contract/preview.ts'
import type { Requirement } from '../../contract/request.ts'
import { readRequirement } from '../../contract/request.ts'
import { type ToolResult, textResult } from '../../contract/result.ts'
import { displayPath } from '../../files/printable.ts'
import { replaceFile } from '../../files/publish-file.ts'
import { workspaceError } from '../codes.ts'
import { type ReadToolDeps, requireReadGuard } from '../read-tool.ts'
import { type CurrentFile, openCurrent, staleFile } from './current-file.ts'
import { diffTexts, previewDiff } from './diff-preview.ts'
import { isOwnWork, noteOwnEdit } from './own-edits.ts'
import { type EditOutcome, replaceText, type TextEdit } from './replace-text.ts'
import { factsOf } from './text-facts.ts'
import { decodeText, encodeText } from './text-file.ts'
import { checkKnown, type KnownFile, knownFile, presentBase, type WriteBase, withPresent } from './write-base.ts'
import {
  preparePlace,
  takeTurn,
  type WritePlace,
  type WriteToolOptions,
  type WriteTurn,
  writeNotices,
  writeRequirements,
  writtenPath,
} from './write-tool.ts'

/** The largest file that is edited, in bytes. */
const maxEditBytes = 16 * 1_024 * 1_024

/** The longest text to replace or to put in its place, in characters. */
const maxTextLength = 4 * 1_024 * 1_024

/** The most bytes of the difference in a result. */
const maxShownBytes = 4_096

const wellFormed = (text: string) => text.isWellFormed() && !text.includes('\0')
const mustBeText = 'must be well-formed text without NUL'

const inputSchema = z
  .strictObject({
    path: writtenPath('The file, relative to the workspace.'),
    old: z
      .string()
      .min(1)
      .max(maxTextLength)
      .refine(wellFormed, mustBeText)
      .describe('The text to replace, exactly as it is in the file, without line numbers.'),
    new: z.string().max(maxTextLength).refine(wellFormed, mustBeText).describe('What to put in its place.'),
    replace_all: z.boolean().optional().describe('Replace it wherever it is. Default false: it must be there once.'),
  })
  .refine((input) => input.old !== input.new, { path: ['new'], message: 'must differ from old' })

const description =
  'Replace text in a UTF-8 file of the workspace that was read with ReadFile before. `old` must be in the file exactly ' +
  'once, or set replace_all. Both texts are literal. Line ends, byte order mark and mode of the file stay as they are. ' +
  'Give enough lines around the change to name one place.'

interface ApprovedEdit {
  readonly input: string
  readonly canonical: string
  readonly edit: TextEdit
  readonly base: WriteBase
  /** How often the preview shows the old text; undefined without one. */
  readonly count?: number | undefined
}

/** The tool `EditFile`: literal text for literal text, atomically. Needs a workspace. */
export function editFileDefinition(
  deps: ReadToolDeps,
  options: WriteToolOptions = {},
): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'EditFile',
    description,
    requires: ['workspace'],
    inputSchema,
    setup: () => requireReadGuard('EditFile', deps),
    prepare: async (input, { workspace, deps: guard, askedBefore }) => {
      const place = await preparePlace(workspace.root, input.path, guard, options)
      const edit = { old: input.old, new: input.new, replaceAll: input.replace_all ?? false }
      const file = await knownFile(workspace.observations, place.path, askedBefore)
      const { preview, ...planned } = await withPresent(place.path, place.display, (current) =>
        describeEdit(edit, { ...file, current, display: place.display }),
      )
      const artifact: ApprovedEdit = { input: input.path, canonical: place.path.canonical, edit, ...planned }
      return { summary: `edit ${place.display}`, artifact, requirements: editRequirements(place), preview }
    },
    run: (approved, { workspace, deps: guard, signal }) =>
      takeTurn({ toolName: 'EditFile', approved, workspace, guard, options, signal, createFolders: false }, (turn) =>
        editContent(approved, turn, workspace.observations),
      ),
    writeTarget: ({ canonical }) => canonical,
    auditSummary: ({ input }) => `EditFile ${displayPath(input)}`,
  })
}

/** An edit tells whether a text is in the file, so outside of the workspace, where nothing was read before, it asks for both. */
function editRequirements(place: WritePlace): Requirement[] {
  const requirements = writeRequirements(place, 'edit')
  if (place.path.isContained) return requirements
  const { candidates: _, ...read } = readRequirement(place.path.canonical)
  return [...requirements, { ...read, description: `read outside of the workspace: ${displayPath(read.scope)}` }]
}

interface DescribedEdit extends KnownFile {
  readonly current: CurrentFile | undefined
  readonly display: string
}

interface PlannedEdit extends Pick<ApprovedEdit, 'base' | 'count'> {
  readonly preview?: Preview
}

/** What the loop has not read tells it nothing here either: then a text that is not there is told by the run. */
async function describeEdit(edit: TextEdit, described: DescribedEdit): Promise<PlannedEdit> {
  const { current, display, known } = described
  if (current === undefined) throw notFound(display)
  const bytes = await current.readBytes(maxEditBytes)
  const { hash } = factsOf(bytes)
  if (known !== undefined && known !== hash) throw staleFile(display, 'has changed since it was read')
  const base = presentBase(hash, described)
  try {
    const { text } = decodeText(bytes, display)
    const replaced = checkOutcome(replaceText(text, edit), display)
    return { base, count: replaced.count, preview: await previewDiff(text, replaced.text, display) }
  } catch (error) {
    if (base.isObserved) throw error
    return { base }
  }
}

async function editContent(
  { edit, base, count, canonical }: ApprovedEdit,
  turn: WriteTurn,
  observations: FileObservations,
): Promise<ToolResult> {
  const { folder, name, display, observation, signal, path } = turn
  const current = await openCurrent(folder, name, display)
  if (current === undefined) {
    observation.current = 'absent'
    throw notFound(display)
  }
  try {
    const bytes = await current.readBytes(maxEditBytes)
    const { hash } = factsOf(bytes)
    const file = decodeText(bytes, display)
    const known = typeof observation.current === 'object' ? observation.current.hash : undefined
    if (hash !== known) observation.current = 'unknown'
    checkKnown(hash, { base, known: path.isContained ? known : hash, display }, (previewed) =>
      isOwnWork(observations, canonical, previewed, hash),
    )
    const replaced = checkOutcome(replaceText(file.text, edit), display)
    if (count !== undefined && replaced.count !== count) throw staleFile(display, 'has changed since the preview')
    const edited = encodeText({ text: replaced.text, hasMark: file.hasMark })
    const published = await replaceFile({ folder, name, display, bytes: edited }, current.owner, () => {
      current.checkUnchanged()
      signal.throwIfAborted()
    })
    const next = factsOf(edited).hash
    observation.current = { hash: next }
    if (path.isContained) noteOwnEdit(observations, canonical, hash, next)
    const { text: diff, isCut } = await diffTexts(file.text, replaced.text, {
      display,
      contextLines: 2,
      maxBytes: maxShownBytes,
    })
    const cut = isCut ? ['[the difference is longer]'] : []
    return textResult([`edited ${display}`, diff, ...cut, ...writeNotices(published)].join('\n'), {
      details: { path: display, replacements: replaced.count, sizeBytes: edited.length },
    })
  } finally {
    await current.close()
  }
}

/** @throws ToolError when nothing is to be replaced. */
function checkOutcome(outcome: EditOutcome, display: string): Extract<EditOutcome, { kind: 'replaced' }> {
  switch (outcome.kind) {
    case 'replaced':
      return outcome
    case 'no_match':
      throw workspaceError('no_match', `old is not in ${display}: 0 matches; nothing was changed`)
    case 'ambiguous':
      throw workspaceError(
        'ambiguous_match',
        `old is in ${display} ${outcome.count} times; give more lines around it, or set replace_all; nothing was changed`,
      )
    case 'no_change':
      throw workspaceError('no_change', `the edit would leave ${display} as it is`)
    case 'too_large':
      throw workspaceError('too_large', `the edit would make ${display} too large; nothing was changed`)
    default:
      return assertNever(outcome, 'outcome')
  }
}

function notFound(display: string): Error {
  return workspaceError('not_found', `file not found: ${display}`)
}
