import { describe, expect, it } from 'vitest'
import { Screen, writeTo } from '../../src/render/screen.ts'
import { Capture } from '../capture.ts'

describe('Screen', () => {
  it('makes the answer harmless on a terminal only', async () => {
    const [terminal, file] = [new Capture(true), new Capture()]

    await new Screen(terminal, new Capture(), true).answer('\u001b[2J')
    await new Screen(file, new Capture(), true).answer('\u001b[2J')

    expect([terminal.text, file.text]).toEqual(['␛[2J', '\u001b[2J'])
  })

  it('keeps a note on one line, whatever it says', () => {
    const stderr = new Capture()

    new Screen(new Capture(), stderr, true).note('a\n  ReadFile faked … 1 ms\u001b[A')

    expect(stderr.text).toBe('a␊  ReadFile faked … 1 ms␛[A\n')
  })

  it('uses colours on a terminal unless they are off', () => {
    const [colored, plain, file] = [new Capture(true), new Capture(true), new Capture()]

    new Screen(new Capture(), colored, true).note('a', 'error')
    new Screen(new Capture(), plain, false).note('a', 'error')
    new Screen(new Capture(), file, true).note('a', 'error')

    expect([colored.text, plain.text, file.text]).toEqual(['\u001b[31ma\u001b[39m\n', 'a\n', 'a\n'])
  })

  it('ends a begun line in place, and writes it again after an interruption', async () => {
    const terminal = new Capture(true)
    const screen = new Screen(terminal, terminal, false)

    screen.begin('1', 'ReadFile a')
    screen.finish('1', 'ReadFile a', '2 ms')
    screen.begin('2', 'Grep b')
    await screen.answer('text')
    screen.finish('2', 'Grep b', '3 ms')

    expect(terminal.text).toBe('  ReadFile a … 2 ms\n  Grep b …\ntext\n  Grep b … 3 ms\n')
  })

  it('writes whole lines into a log', () => {
    const stderr = new Capture()
    const screen = new Screen(new Capture(), stderr, false)

    screen.begin('1', 'ReadFile a')
    screen.begin('2', 'Grep b')
    screen.finish('1', 'ReadFile a', '2 ms')

    expect(stderr.text).toBe('  ReadFile a … 2 ms\n')
  })

  it('is silent when the reader of the answer has left', async () => {
    const [stdout, stderr] = [new Capture(), new Capture()]
    const screen = new Screen(stdout, stderr, false, () => true)
    stdout.destroy()

    await screen.answer('a')
    screen.note('b')

    expect(stdout.text + stderr.text).toBe('')
  })
})

describe('writeTo', () => {
  it('waits for a slow reader, but not for one who leaves', async () => {
    const stuck = new Capture()
    stuck._write = () => undefined
    const writing = writeTo(stuck, 'x'.repeat(1024 * 1024))

    stuck.destroy()

    await expect(writing).resolves.toBeUndefined()
  })
})
