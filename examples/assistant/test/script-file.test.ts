import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readScript } from '../src/script-file.ts'
import { UsageError } from '../src/usage.ts'
import { tempFolder } from './temp-folder.ts'

function scriptFile(text: string): string {
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, text)
  return file
}

describe('readScript', () => {
  it('reads every key', async () => {
    const script = [
      { text: 'a', thinking: 'b', toolCalls: [{ id: 'c', name: 'Grep', input: { pattern: 'x', n: [1, null] } }] },
      { toolCalls: [{ name: 'Grep', rawInput: '{"broken' }] },
      { text: 'd', error: { code: 'rate_limited', afterText: true }, delayMs: 5 },
      {},
    ]

    expect(await readScript(scriptFile(JSON.stringify(script)))).toEqual(script)
  })

  it('reads a file with a byte order mark and Windows line ends', async () => {
    expect(await readScript(scriptFile('\uFEFF[\r\n{"text": "a"}\r\n]\r\n'))).toEqual([{ text: 'a' }])
  })

  it.each([
    ['{"text": "SENTINEL"', /: not valid JSON$/],
    ['{"text": "SENTINEL"}', /: the file: expected array$/],
    ['[{"txt": "SENTINEL"}]', /: \[0\]: unknown key "txt"$/],
    ['[{"text": "a"}, {"text": 7}]', /: \[1\]\.text: expected string$/],
    ['[{"error": {"code": "SENTINEL"}}]', /: \[0\]\.error\.code: expected one of auth, rate_limited, /],
    ['[{"error": {}}]', /: \[0\]\.error\.code: expected one of /],
    ['[{"error": {"code": "auth", "after": true}}]', /: \[0\]\.error: unknown key "after"$/],
    ['[{"toolCalls": [{"input": {}}]}]', /: \[0\]\.toolCalls\[0\]\.name: expected string$/],
    ['[{"toolCalls": [{"name": "A", "input": []}]}]', /: \[0\]\.toolCalls\[0\]\.input: expected record$/],
    ['[{"toolCalls": [{"name": "A", "input": {}, "rawInput": ""}]}]', /expected input or rawInput, not both$/],
    ['[{"delayMs": -1}]', /: \[0\]\.delayMs: /],
    ['[{"delayMs": 1e12}]', /: \[0\]\.delayMs: /],
  ])('refuses %s', async (text, message) => {
    const reading = readScript(scriptFile(text))

    await expect(reading).rejects.toThrow(message)
    await expect(reading).rejects.toBeInstanceOf(UsageError)
    await expect(reading).rejects.not.toThrow('SENTINEL')
  })

  it.skipIf(process.platform === 'win32')('refuses a file that does not end', async () => {
    await expect(readScript('/dev/zero')).rejects.toThrow(/longer than 16 MiB$/)
  })

  it('refuses what is not there and what is a folder', async () => {
    const folder = tempFolder()

    await expect(readScript(join(folder, 'none.json'))).rejects.toThrow(/there is no such file or folder$/)
    await expect(readScript(folder)).rejects.toThrow(/it is a folder$/)
  })
})
