import { InferenceError } from './errors.ts'

/** Makes the error of a factory whose option cannot be used; it names the option and never repeats its value. */
export function optionError(option: string, expected: string): InferenceError {
  return new InferenceError('invalid_options', `${option}: ${expected}`)
}

/** Takes a whole number of at least `min`, or the default. */
export function countOption(option: string, value: number | undefined, fallback: number, min = 1): number {
  if (value === undefined) return fallback
  if (Number.isSafeInteger(value) && value >= min && value <= maxCount) return value
  throw optionError(option, `expected a whole number from ${min} to ${maxCount}`)
}

/** The longest time that a timer can count; also the largest cap that anyone can mean. */
const maxCount = 2 ** 31 - 1
