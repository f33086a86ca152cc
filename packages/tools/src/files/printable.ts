import { headWithin } from '@looprig/core'

/** Control characters and the separators that some readers take for a new line; a tab is harmless. */
const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g

/** The most bytes of a path in a message. */
const maxDisplayBytes = 300

/** Puts U+FFFD for each character that could forge a line or drive a terminal. Offsets stay as they are. */
export function printable(text: string): string {
  return text.replace(control, '\ufffd')
}

/** A path as people and models see it: what the model wrote, in one bounded line. */
export function displayPath(input: string): string {
  const line = printable(input.toWellFormed())
  const head = headWithin(line, maxDisplayBytes)
  return head === line ? line : `${head}…`
}

/** Says whether a path can be printed as it is: a name with control characters or broken bytes cannot. */
export function isPrintablePath(path: string): boolean {
  return !path.includes('\ufffd') && printable(path) === path
}
