/** The name of a session: short, and safe as a part of a file name on every system. */
import { StoreError } from '../contract/errors.ts'

const sessionName = /^[a-z0-9][a-z0-9-]{0,63}$/

/**
 * Gives the name back when it is one.
 *
 * @throws StoreError `invalid`.
 */
export function checkSession(session: unknown): string {
  if (typeof session === 'string' && sessionName.test(session)) return session
  throw new StoreError('invalid', 'session must be 1 to 64 of a-z, 0-9 and "-", and not begin with "-"', {
    field: 'session',
  })
}
