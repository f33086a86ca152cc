/** Says whether something that foreign code threw is of a class; what fails at being looked at is of none. */
export function isA<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}
