import { describe, expect, it } from 'vitest'
import { openSession, textOfResult } from './support/process-session.ts'

const bytes = 200_000_000

/** How much memory the process takes on top of what it took before, at most, while the work runs. */
async function peakOf<T>(work: () => Promise<T>): Promise<{ value: T; peak: number }> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  const value = await work()
  clearInterval(timer)
  return { value, peak: peak - before }
}

describe('200 MB of output', () => {
  it('in the foreground take bounded memory and keep both ends', async () => {
    const session = await openSession()
    await session.bash('yes | head -c 1000000')

    const { value, peak } = await peakOf(() => session.bash(`echo first; yes 1234567 | head -c ${bytes}; echo last`))

    expect(value.details).toMatchObject({ totalBytes: bytes + 11, omittedBytes: bytes + 11 - 32_768 })
    expect(textOfResult(value)).toMatch(/^first\n[\s\S]*last\n\[exit code: 0\]$/)
    console.info(`foreground: ${Math.round(peak / 1_048_576)} MiB more at most`)
    expect(peak).toBeLessThan(100 * 1_048_576)
  }, 60_000)

  it('in the background take bounded memory and keep the end', async () => {
    const session = await openSession()
    await session.ended(await session.start('yes | head -c 1000000'))

    const { value, peak } = await peakOf(async () =>
      session.ended(await session.start(`yes 1234567 | head -c ${bytes}; echo last`)),
    )
    const last = await session.json('ProcessOutput', { process_id: String(value.process_id), cursor: bytes })

    expect(value.total_bytes).toBe(bytes + 5)
    expect(last).toMatchObject({ output: 'last\n' })
    console.info(`background: ${Math.round(peak / 1_048_576)} MiB more at most`)
    expect(peak).toBeLessThan(100 * 1_048_576)
  }, 60_000)
})
