import { describe, expect, it } from 'vitest'
import { readFileText, readGlob, readGrep } from '../../src/guide/tool-output.ts'

describe('readGlob', () => {
  it('reads paths and the notices behind them', () => {
    const text =
      'a.ts\napp/[id].ts\n[id].ts\n[more than 500 matches; refine the pattern]\n[skipped folders: dist, node_modules]'

    const found = readGlob(text)

    expect(found).toEqual({ paths: ['a.ts', 'app/[id].ts', '[id].ts'], capped: true })
  })

  it('reads no matches as none', () => {
    expect(readGlob('no matches\n[skipped folders: dist]')).toEqual({ paths: [], capped: false })
  })

  it('leaves out a path that no terminal shows exactly', () => {
    expect(readGlob(`a\u001b[31m.ts\n${'x'.repeat(300)}.ts\nb.ts`).paths).toEqual(['b.ts'])
  })
})

describe('readGrep', () => {
  it('reads path, line and text, also where the text looks like a match or a notice', () => {
    const text = 'a b.ts:12:x: [y]:3:z\n[id].ts:1:[more than 200 matches]\r\n[more than 200 matches; refine]'

    const found = readGrep(text)

    expect(found.capped).toBe(true)
    expect(found.lines).toEqual([
      { path: 'a b.ts', line: 12, text: 'x: [y]:3:z' },
      { path: '[id].ts', line: 1, text: '[more than 200 matches]' },
    ])
  })

  it('is capped when the matches did not fit', () => {
    expect(readGrep('a:1:b\n[more matches than fit into 65536 bytes; refine]').capped).toBe(true)
  })

  it('reads no matches as none', () => {
    expect(readGrep('no matches\n[skipped folders: dist, vendor]')).toEqual({
      lines: [],
      capped: false,
      skipped: ['dist', 'vendor'],
    })
  })
})

describe('readFileText', () => {
  it('reads numbered lines and how many there are', () => {
    const text = '   1\tone\r\n   2\t\n   3\t[lines 1-3 of 7]\n[lines 1-3 of 900; continue with start_line 4]'

    const read = readFileText('a.ts', text)

    expect(read.total).toBe(900)
    expect(read.lines.map(({ text: line }) => line)).toEqual(['one', '', '[lines 1-3 of 7]'])
  })

  it('reads an empty file as no lines', () => {
    expect(readFileText('a.ts', '[the file is empty]')).toEqual({ lines: [], total: 0 })
  })
})
