import { ToolError } from '@looprig/tools'

/**
 * Why `AddNote` gave an error result; `contractCodes` of `@looprig/tools` come on top.
 *
 * - `not_a_file`: a folder, a link or a device is where the notes should be.
 * - `notes_full`: the notes are longer than 1 MiB.
 * - `unwritable`: the system refused to write.
 */
export const noteCodes = Object.freeze(['not_a_file', 'notes_full', 'unwritable'] as const)

/** One of `noteCodes`. */
export type NoteCode = (typeof noteCodes)[number]

/** The model reads the message, so it holds no path of the host and nothing of the notes. */
export function noteError(code: NoteCode, message: string, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}
