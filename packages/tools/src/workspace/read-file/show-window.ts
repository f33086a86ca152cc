import { type ToolResult, textResult } from '../../contract/result.ts'
import { workspaceError } from '../codes.ts'
import type { LineWindow, WindowRequest } from './line-window.ts'

/** Which file the lines are of. */
export interface ShownFile {
  readonly display: string
  readonly sizeBytes: number
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
}

/** Renders lines, and tells what is missing and how to go on. @throws ToolError `line_out_of_range` */
export function showWindow(window: LineWindow, request: WindowRequest, file: ShownFile): ToolResult {
  const { shown, lineCount } = window
  const { display, sizeBytes } = file
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
    ...(file.encoding === 'utf-8' ? {} : { encoding: file.encoding }),
  }
  return textResult([...shown, ...notices(window, request, file)].join('\n'), { details })
}

function notices(window: LineWindow, { startLine }: WindowRequest, { encoding }: ShownFile): string[] {
  const lines = window.clipped.map(
    ({ line, bytes, shownBytes }) =>
      `[line ${line} has ${bytes} bytes; only its first ${shownBytes} are shown; Grep shows the parts that match]`,
  )
  if (encoding !== 'utf-8') lines.push(`[decoded from ${encoding.toUpperCase()}; EditFile edits UTF-8 only]`)
  if (window.nextLine === undefined) return lines
  const total = window.countIsPartial ? `more than ${window.lineCount}` : String(window.lineCount)
  const last = startLine + window.shown.length - 1
  return [...lines, `[lines ${startLine}-${last} of ${total}; continue with start_line ${window.nextLine}]`]
}
