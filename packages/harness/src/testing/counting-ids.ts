import type { IdSource } from '../clock/id-source.ts'

/**
 * Makes ids that are the same in every run: valid UUIDs that count up from 1. Sources with different seeds never make
 * the same id.
 *
 * @param seed - a whole number from 0 to 4,294,967,295.
 */
export function countingIds(seed = 0): IdSource {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) throw new RangeError('seed: expected 32 bits')
  const first = seed.toString(16).padStart(8, '0')
  let count = 0
  return {
    uuid: () => {
      count += 1
      return `${first}-0000-7000-8000-${count.toString(16).padStart(12, '0')}`
    },
  }
}
