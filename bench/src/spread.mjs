/**
 * What fresh processes say of one thing.
 *
 * @param {readonly number[]} values at least one.
 * @returns {{median: number, least: number, most: number, rounds: number}}
 */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median = (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2
  return { median, least: sorted[0], most: sorted.at(-1), rounds: sorted.length }
}
