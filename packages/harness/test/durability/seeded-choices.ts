/** Choices that are the same for the same seed (mulberry32). */
export function seededChoices(seed: number): <T>(from: readonly T[]) => T {
  let state = seed
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return (from) => {
    const chosen = from[Math.floor(random() * from.length)]
    if (chosen === undefined) throw new RangeError('nothing to choose from')
    return chosen
  }
}
