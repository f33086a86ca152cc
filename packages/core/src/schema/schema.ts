import { ContentError } from '../error/errors.ts'

/** Why a value does not fit a schema. */
export interface Fault {
  /** Where, from the outside in: `['blocks', 0, 'text']`; empty for the value itself. */
  readonly path: readonly (string | number)[]
  /** What would fit, for people. Never a value. */
  readonly expected: string
  /** It would fit if there were less of it. */
  readonly isTooLarge?: true
}

/** What a schema says of a value. */
export type Reading<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly data?: undefined; readonly fault: Fault }

/** How a schema looks at a value. */
export interface Check {
  /** Why a value does not fit; `undefined` when it does. */
  readonly faultOf: (value: unknown) => Fault | undefined
  /** A value that is read in another form than it was written: asked before the fault, at the place where it lies. */
  readonly repair?: ((value: unknown) => unknown) | undefined
}

/**
 * Reads data that came as JSON. It checks the value where it lies: nothing is copied, and members that a schema does not
 * know stay. So it is for plain data that nobody else holds; make a copy of anything else first.
 */
export class Schema<T> implements Check {
  // functions as they are, not methods around them: a journal is many values
  readonly faultOf: Check['faultOf']
  readonly repair: Check['repair']

  constructor({ faultOf, repair }: Check) {
    this.faultOf = faultOf
    this.repair = repair
  }

  /** Says whether a value fits, and why not. */
  safeParse(value: unknown): Reading<T> {
    const data = this.repair === undefined ? value : this.repair(value)
    const fault = this.faultOf(data)
    // proved: the check of a `Schema<T>` finds no fault in a T and in nothing else
    return fault === undefined ? { success: true, data: data as T } : { success: false, fault }
  }

  /**
   * Returns the value when it fits.
   *
   * @throws ContentError `content_invalid`, or `content_too_large`, naming the part that does not.
   */
  parse(value: unknown): T {
    const reading = this.safeParse(value)
    if (reading.success) return reading.data
    throw contentErrorOf(reading.fault, '')
  }

  /** The same with one more thing that must be true of what fits. */
  and(faultOf: (value: T) => Fault | undefined): Schema<T> {
    const { repair, faultOf: before } = this
    // proved: what has no fault is a T
    return new Schema<T>({ repair, faultOf: (value) => before(value) ?? faultOf(value as T) })
  }

  /** A member that may be absent, and is never `undefined`. */
  exactOptional(): Optional<T> {
    return new Optional(this, false)
  }

  /** A member that may be absent or `undefined`. */
  optional(): Optional<T> {
    return new Optional(this, true)
  }
}

/** A member of an object that need not be there. */
export class Optional<T> {
  readonly schema: Schema<T>
  readonly mayBeUndefined: boolean

  constructor(schema: Schema<T>, mayBeUndefined: boolean) {
    this.schema = schema
    this.mayBeUndefined = mayBeUndefined
  }
}

/** The same fault, seen from one level further out. */
export function faultBelow(name: string | number, fault: Fault): Fault {
  return { ...fault, path: [name, ...fault.path] }
}

/** A fault as an error; `field` names the value that was read. */
export function contentErrorOf({ path, expected, isTooLarge }: Fault, field: string): ContentError {
  const below = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  const at = `${field}${below}`.replace(/^\./, '') || 'value'
  return new ContentError(isTooLarge === true ? 'content_too_large' : 'content_invalid', at, expected)
}
