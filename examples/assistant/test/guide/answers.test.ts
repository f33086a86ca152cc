import { describe, expect, it } from 'vitest'
import { expectSound, quotedRows } from './citations.ts'
import { openSession } from './session.ts'
import { temporaryWorkspace } from './temporary-workspace.ts'

async function rowsFor(files: Readonly<Record<string, string>>, question: string): Promise<readonly string[]> {
  const session = await openSession(await temporaryWorkspace(files))

  const exchange = await session.ask(question)

  expectSound(exchange)
  return quotedRows(exchange.text)
}

describe('offlineGuide about names', () => {
  it('puts sources before tests, type stubs and build output', async () => {
    const files = {
      'lib/a.js': 'export const fooBar = 1\n',
      'lib/a.d.ts': 'export declare const fooBar = 1\n',
      'src/a.ts': 'export const fooBar = 1\n',
      'test/a.test.ts': 'const fooBar = 1\n',
    }

    const rows = await rowsFor(files, 'where is fooBar defined?')

    expect(rows.map((row) => row.split(':', 1)[0])).toEqual(['src/a.ts', 'test/a.test.ts', 'lib/a.d.ts', 'lib/a.js'])
  })

  it('puts the body of a type before a header that only names it in advance', async () => {
    const files = { 'a.h': 'struct foo_bar;\n', 'sys/b.h': 'struct foo_bar {\n  int x;\n};\n' }

    expect((await rowsFor(files, 'where is struct foo_bar defined?'))[0]).toBe('sys/b.h:1  struct foo_bar {')
  })

  it('prefers the owner that a name is qualified with', async () => {
    const files = {
      'a.py': 'class Aaa:\n    def run(self):\n        pass\n',
      'b.py': 'class Bbb:\n    def run(self):\n        pass\n',
    }

    expect((await rowsFor(files, 'where is Bbb.run defined?'))[0]).toBe('b.py:2  def run(self):')
  })

  it('quotes a definition with the comment above it', async () => {
    const files = { 'a.go': 'package a\n\n// foo_bar does it.\nfunc foo_bar() int {\n\treturn 1\n}\n\nvar x = 1\n' }

    const rows = await rowsFor(files, 'how does foo_bar work?')

    expect(rows).toEqual([
      'a.go:4  func foo_bar() int {',
      'a.go:3  // foo_bar does it.',
      'a.go:4  func foo_bar() int {',
      'a.go:5  \treturn 1',
      'a.go:6  }',
    ])
  })

  it('tells calls from other uses', async () => {
    const files = { 'a.ts': 'export const fooBar = (): number => 1\nconst x = fooBar()\nconst y = { fooBar }\n' }

    expect(await rowsFor(files, 'who calls fooBar?')).toEqual([
      'a.ts:1  export const fooBar = (): number => 1',
      'a.ts:2  const x = fooBar()',
    ])
  })

  it('finds the tests that use a name', async () => {
    const files = { 'a.ts': 'export const fooBar = 1\n', 'a.test.ts': 'use(fooBar)\n', 'b.ts': 'use(fooBar)\n' }

    const rows = await rowsFor(files, 'which tests cover fooBar?')

    expect(rows).toEqual(['a.ts:1  export const fooBar = 1', 'a.test.ts:1  use(fooBar)'])
  })

  it('finds imports by keyword, by call and in lists', async () => {
    const files = {
      'a.ts': "import { fooBar } from './x.ts'\n",
      'b.ts': 'import {\n  fooBar,\n  other,\n} from "./x.ts"\n',
      'c.js': "const fooBar = require('./fooBar')\n",
      'd.ts': 'const x = [\n  fooBar()\n]\n',
    }

    const rows = await rowsFor(files, 'which files import fooBar?')

    expect(rows.map((row) => row.split('  ', 1)[0])).toEqual(['a.ts:1', 'b.ts:2', 'c.js:1'])
  })

  it('offers lines that come close when it finds nothing', async () => {
    const rows = await rowsFor({ 'a.ts': 'const myFooBarBaz = 1\n' }, 'where is foobar defined?')

    expect(rows).toEqual(['a.ts:1  const myFooBarBaz = 1'])
  })

  it('stays in the folder that is named', async () => {
    const files = { 'a/x.ts': 'fooBar()\n', 'b/x.ts': 'fooBar()\n' }

    expect(await rowsFor(files, 'where is fooBar used in b/?')).toEqual(['b/x.ts:1  fooBar()'])
  })
})

describe('offlineGuide about files', () => {
  it('finds a file by its name in any case, and names the others', async () => {
    const files = { 'a/Parse.ts': 'const x = 1\n', 'b/c/parse.ts': 'const y = 1\n' }

    const rows = await rowsFor(files, 'show parse.ts')

    expect(rows).toEqual(['b/c/parse.ts:1  const y = 1'])
  })

  it('reads a file of a folder that listings leave out', async () => {
    expect(await rowsFor({ 'dist/a.js': 'x()\n' }, 'show dist/a.js')).toEqual(['dist/a.js:1  x()'])
  })

  it('shows at most what one answer holds, and how to go on', async () => {
    const session = await openSession(await temporaryWorkspace({ 'a.txt': 'x\n'.repeat(100) }))

    const { text } = await session.ask('show a.txt')
    const next = await session.ask('read lines 23-44 of a.txt')

    expect(text).toMatch(/For more, ask: read lines 23-44 of `a\.txt`$/)
    expect(quotedRows(next.text)[0]).toBe('a.txt:23  x')
  })

  it('outlines headings of a text', async () => {
    const rows = await rowsFor({ 'a.md': '# One\n\ntext\n\n## Two\n' }, 'explain a.md')

    expect(rows).toEqual(['a.md:1  # One', 'a.md:5  ## Two'])
  })

  it('names what is in a folder where there is no such file', async () => {
    expect(await rowsFor({ 'packages/Parser/a.ts': 'x\n' }, 'explain the parser')).toEqual(['packages/Parser/a.ts'])
  })

  it('says plainly that there is no such file', async () => {
    const session = await openSession(await temporaryWorkspace({ 'a.ts': 'x\n' }))

    const { text } = await session.ask('show nothing.py')

    expect(text).toBe('I found no file `nothing.py` in this folder.')
  })

  it('counts tests of several languages', async () => {
    const files = { 'a.test.ts': '', 'test_b.py': '', 'c_test.go': '', 'tests/d.rs': '', 'e.ts': '' }
    const session = await openSession(await temporaryWorkspace(files))

    const { text } = await session.ask('how many test files are there?')

    expect(text).toMatch(/^I found 4 test files\./)
  })
})

describe('offlineGuide about anything else', () => {
  it('finds the line with most of the terms and quotes what is around it', async () => {
    const files = {
      'a.py': 'import x\n\n# retry a failed request\nretry()\n',
      'b.py': '# a request\n',
      'c.py': '# retry later\n',
    }

    const rows = await rowsFor(files, 'how are failed requests retried?')

    expect(rows.slice(0, 2)).toEqual(['a.py:1  import x', 'a.py:3  # retry a failed request'])
  })

  it('searches a quoted text literally', async () => {
    const rows = await rowsFor({ 'a.txt': 'Hello (World)\nhello world\n' }, 'find "Hello (World)"')

    expect(rows[0]).toBe('a.txt:1  Hello (World)')
  })

  it('says plainly that it found nothing', async () => {
    const session = await openSession(await temporaryWorkspace({ 'a.txt': 'x\n' }))

    const { text } = await session.ask('how does quantum teleportation happen?')

    expect(text).toBe('I found nothing about `teleport`, `quantum`.')
  })
})
