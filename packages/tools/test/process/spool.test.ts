import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Spool } from '../../src/process/supervisor/spool.ts'
import { mountTiny } from '../support/failing-place.ts'
import { openSession, tempFolder } from './support/process-session.ts'

const handle = 'AAAAAAAAAAAAAAAAAAAAAA'
const bytes = (length: number, seed = 0) => Buffer.from(Uint8Array.from({ length }, (_, at) => (at + seed) % 251))

async function readAll(spool: Spool, from = 0): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let cursor = from; ; ) {
    const window = await spool.read(cursor, 10_007)
    if (window.bytes.length === 0) return Buffer.concat(parts)
    parts.push(window.bytes)
    cursor = window.start + window.bytes.length
  }
}

describe('Spool', () => {
  it('gives back every byte while it is within its limit, now and after it was opened again', async () => {
    const folder = await tempFolder()
    const spool = Spool.create(folder, handle, 5_000_000)
    const whole = bytes(3_000_000)
    for (let at = 0; at < whole.length; at += 70_001) await spool.append(whole.subarray(at, at + 70_001))
    await spool.finish()

    expect((await readAll(spool)).equals(whole)).toBe(true)
    expect((await readAll(await Spool.reopen(folder, handle, readdirSync(folder), 3_000_000))).equals(whole)).toBe(true)
  })

  it('keeps the last bytes, whatever is written and however it is cut', async () => {
    const folder = await tempFolder()
    let runs = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60_000 }),
        fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 }),
        async (limit, sizes) => {
          const spool = Spool.create(folder, handle.replace(/^A{4}/, String(1_000 + runs++)), limit)
          let whole = Buffer.alloc(0)
          for (const size of sizes) {
            const part = bytes(size, whole.length)
            whole = Buffer.concat([whole, part])
            await spool.append(part)
          }
          const kept = Math.min(limit, whole.length)
          const { start, isGap } = await spool.read(0, 1)

          expect(start).toBe(whole.length - kept)
          expect(isGap).toBe(kept < whole.length)
          expect((await readAll(spool)).equals(whole.subarray(whole.length - kept))).toBe(true)
          await spool.remove()
        },
      ),
      { numRuns: 60 },
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('writes each byte once: the time of an append does not grow with what is there', async () => {
    const spool = Spool.create(await tempFolder(), handle, 60_000_000)
    const part = bytes(65_536)
    const timeOf = async (count: number) => {
      const start = performance.now()
      for (let index = 0; index < count; index += 1) await spool.append(part)
      return performance.now() - start
    }
    const first = await timeOf(200)
    await timeOf(400)
    const last = await timeOf(200)

    expect(last).toBeLessThan(first * 4 + 100)
    await spool.finish()
  })

  it('refuses a cursor past all output', async () => {
    const spool = Spool.create(await tempFolder(), handle, 1_000)
    await spool.append(bytes(10))

    await expect(spool.read(11, 1)).rejects.toMatchObject({ code: 'cursor_ahead' })
    expect((await spool.read(10, 1)).bytes.length).toBe(0)
    await spool.finish()
  })

  it('loses only what a full disk refuses, and says where', async ({ skip }) => {
    const folder = join(await tempFolder(), 'disk')
    if (!mountTiny(folder, 256)) return skip('cannot mount here')
    const spool = Spool.create(folder, handle, 10_000_000)
    const whole = bytes(1_000_000)
    for (let at = 0; at < whole.length; at += 50_000) await spool.append(whole.subarray(at, at + 50_000))
    const first = await spool.read(0, 50_000)
    const last = await spool.read(999_999, 1)

    expect(spool.totalBytes).toBe(1_000_000)
    expect(first.bytes.equals(whole.subarray(0, 50_000))).toBe(true)
    expect(last).toMatchObject({ isGap: true, start: 1_000_000 })
    await spool.remove()
    await spool.append(whole.subarray(0, 50_000))
    expect(await spool.read(999_999, 50_000)).toMatchObject({ isGap: true, start: 1_000_000 })
    await spool.finish()
  })
})

describe('a full disk', () => {
  it('starts nothing that it cannot write down', async ({ skip }) => {
    const folder = join(await tempFolder(), 'disk')
    if (!mountTiny(folder, 4)) return skip('cannot mount here')
    writeFileSync(join(folder, 'full'), Buffer.alloc(4_096))
    const session = await openSession({ folder })

    const result = await session.bash('touch ran', { background: true })

    expect(result).toMatchObject({ isError: true, code: 'process_setup_failed' })
    expect(readdirSync(session.root)).toEqual([])
  })

  it('neither kills nor blocks a process that prints, and its end is known', async ({ skip }) => {
    const folder = join(await tempFolder(), 'disk')
    if (!mountTiny(folder, 128)) return skip('cannot mount here')
    const session = await openSession({ folder })

    const id = await session.start('yes | head -c 5000000; touch done; exit 6')
    const end = await session.ended(id)

    expect(end).toMatchObject({ status: 'exited', exit_code: 6, total_bytes: 5_000_000 })
    expect(readdirSync(session.root)).toEqual(['done'])
  })
})
