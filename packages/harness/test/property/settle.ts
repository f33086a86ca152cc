import type { FakeClock } from '../../src/testing.ts'

/** Waits for a promise while time goes by; `meanwhile` runs in every turn. A promise that hangs is named. */
export async function settle<T>(
  clock: FakeClock,
  promise: Promise<T>,
  meanwhile: (turns: number) => void = () => undefined,
  what = 'a promise',
): Promise<T> {
  let isSettled = false
  const done = () => {
    isSettled = true
  }
  promise.then(done, done)
  for (let turns = 0; !isSettled; turns += 1) {
    if (turns === 600) throw new Error(`it never settles: ${what}`)
    meanwhile(turns)
    await clock.advance(turns < 60 ? 0 : 250)
  }
  return promise
}
