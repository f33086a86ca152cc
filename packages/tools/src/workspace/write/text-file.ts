import { isUtf8 } from 'node:buffer'
import { workspaceError } from '../codes.ts'
import { byteOrderMark } from './text-facts.ts'

/** A UTF-8 file as text. */
export interface TextFile {
  /** Without the byte order mark. */
  readonly text: string
  readonly hasMark: boolean
}

/** Decodes a file without loss. @throws ToolError `binary_file` or `not_utf8` */
export function decodeText(bytes: Buffer, display: string): TextFile {
  if (!isUtf8(bytes)) throw workspaceError('not_utf8', `${display} is not UTF-8 and was left as it is`)
  if (bytes.includes(0)) throw workspaceError('binary_file', `${display} is a binary file and was left as it is`)
  const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  return { text: bytes.toString('utf8', hasMark ? byteOrderMark.length : 0), hasMark }
}

/** Undoes `decodeText`. */
export function encodeText({ text, hasMark }: TextFile): Buffer {
  const bytes = Buffer.from(text)
  return hasMark ? Buffer.concat([byteOrderMark, bytes]) : bytes
}
