import { LooprigError } from '@looprig/core'

const codePattern = /^[a-z][a-z0-9_.-]{0,63}$/
const maxReasonCharacters = 1_024

/**
 * What a guard throws, or returns, to deny an operation. People see the reason, and for a tool call the model: it must
 * hold nothing that they may not read. Anything else that a guard throws blocks too, and tells nothing.
 */
export class Denial extends LooprigError {
  override readonly name = 'Denial'
  /** The guard's own word: a lower-case letter, then letters, digits, `_`, `.` or `-`; at most 64. */
  readonly code: string
  /** For people, one line: 1 to 1,024 characters, not blank, without control characters. */
  readonly reason: string

  /** @throws RangeError when code or reason is not as above; inside a guard that blocks as well. */
  constructor(code: string, reason: string) {
    if (typeof code !== 'string' || !codePattern.test(code))
      throw new RangeError('code: expected a short lower-case word')
    if (typeof reason !== 'string' || !isReason(reason)) {
      throw new RangeError(`reason: expected 1 to ${maxReasonCharacters} characters without control characters`)
    }
    super(reason)
    this.code = code
    this.reason = reason
  }
}

function isReason(text: string): boolean {
  const fits = text.trim() !== '' && text.length <= maxReasonCharacters
  return fits && text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)
}
