import { LooprigError } from './brand.ts'

/**
 * Why content was refused.
 *
 * - `content_invalid`: a value is not a block, message, usage or id of this vocabulary; `field` names where.
 * - `content_too_large`: a size cap was passed; `field` names which.
 * - `stream_invalid`: stream events came in an order that no response has; `field` names the event.
 */
export type ContentErrorCode = 'content_invalid' | 'content_too_large' | 'stream_invalid'

/** A value that is not valid content. Not retryable: the same value fails again. */
export class ContentError extends LooprigError {
  override readonly name = 'ContentError'
  readonly code: ContentErrorCode
  /** The path of the part at fault, for example `blocks[2].type`. Never its value. */
  readonly field: string

  constructor(code: ContentErrorCode, field: string, expected: string, options?: ErrorOptions) {
    super(`${field}: ${expected}`, options)
    this.code = code
    this.field = field
  }
}
