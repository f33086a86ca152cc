import { byteLength, headWithin } from '@looprig/core'
import { RequestValidationError } from './errors.ts'

/**
 * What a call would change, for the person who decides on it. It is shown and bound to the approval, and neither stored
 * nor told to the model.
 */
export interface Preview {
  readonly kind: 'text' | 'diff'
  /** At most 16 KiB: what is longer is cut at a character. */
  readonly text: string
  /** The text was cut: who decides sees only its start. */
  readonly truncated?: true
}

const maxPreviewBytes = 16_384

/**
 * Copies and freezes a preview, within its limit.
 *
 * @throws RequestValidationError `field_invalid` when it is none.
 */
export function boundPreview({ kind, text, truncated }: Preview): Preview {
  if (kind !== 'text' && kind !== 'diff') throw new RequestValidationError('field_invalid', 'preview.kind')
  if (typeof text !== 'string' || !text.isWellFormed())
    throw new RequestValidationError('field_invalid', 'preview.text')
  const fits = byteLength(text) <= maxPreviewBytes
  const isCut = !fits || truncated === true
  return Object.freeze({
    kind,
    text: fits ? text : headWithin(text, maxPreviewBytes),
    ...(isCut ? { truncated: true as const } : {}),
  })
}
