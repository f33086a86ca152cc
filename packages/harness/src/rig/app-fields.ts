import { byteLength } from '@looprig/core'
import { DefinitionError } from '../error/errors.ts'
import type { ManifestAppField } from './manifest.ts'

const maxFields = 64
const maxBytes = 128

const fieldName = /^[A-Za-z0-9][A-Za-z0-9_./:-]*$/

/**
 * Checks and copies what an application tells of itself.
 *
 * @throws DefinitionError `appFields`, naming the field and never its value.
 */
export function checkAppFields(fields: Readonly<Record<string, string>> = {}): readonly ManifestAppField[] {
  if (typeof fields !== 'object' || fields === null)
    throw new DefinitionError('appFields', 'expected an object of texts')
  const entries = Object.entries(fields)
  if (entries.length > maxFields) throw new DefinitionError('appFields', `expected at most ${maxFields} fields`)
  for (const [index, [name, value]] of entries.entries()) {
    if (!fieldName.test(name) || byteLength(name) > maxBytes) {
      const expected = `expected names of 1 to ${maxBytes} letters, digits and _ . / : -`
      throw new DefinitionError('appFields', `${expected}; field ${index + 1} has another`)
    }
    if (typeof value !== 'string' || value === '' || byteLength(value) > maxBytes) {
      throw new DefinitionError(`appFields.${name}`, `expected a text of 1 to ${maxBytes} bytes`)
    }
  }
  return Object.freeze(entries.map(([name, value]) => Object.freeze({ name, value })))
}
