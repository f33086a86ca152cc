import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type LineSource, pipedLines, terminalLines } from '../src/lines.ts'

async function all(lines: LineSource): Promise<string[]> {
  const found: string[] = []
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) found.push(line)
  return found
}

describe('pipedLines', () => {
  it('splits lines of both systems and keeps a last one without an end', async () => {
    expect(await all(pipedLines(Readable.from([Buffer.from('a\r\nb\n\nc')])))).toEqual(['a', 'b', '', 'c'])
  })

  it('joins a character that is cut between two chunks', async () => {
    const bytes = Buffer.from('x😀y\n')

    expect(await all(pipedLines(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)])))).toEqual(['x😀y'])
  })

  it('reads no faster than it is asked', async () => {
    let produced = 0
    const source = Readable.from(
      (function* () {
        for (;;) yield Buffer.from(`${++produced}\n`)
      })(),
      { highWaterMark: 1 },
    )
    const lines = pipedLines(source)

    await lines.next()
    await new Promise((resolve) => setImmediate(resolve))

    expect(produced).toBeLessThan(10)
    lines.close()
  })

  it('refuses a line that never ends', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(64 * 1024, 'x')
      })(),
    )

    await expect(pipedLines(endless).next()).rejects.toThrow(/a line of stdin has more than/)
  })

  it('lets a waiting reader go when it is closed', async () => {
    const lines = pipedLines(new PassThrough())
    const next = lines.next()

    lines.close()

    expect(await next).toBeUndefined()
  })
})

describe('terminalLines', () => {
  it('gives lines, passes Ctrl-C on and ends at Ctrl-D', async () => {
    const stdin = new PassThrough()
    let interrupts = 0
    const lines = terminalLines(stdin, new PassThrough(), () => {
      interrupts += 1
    })

    stdin.write('hello\n\u0003\u0004')

    expect(await all(lines)).toEqual(['hello'])
    expect(interrupts).toBe(1)
  })
})
