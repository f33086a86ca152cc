import { describe, expect, it } from 'vitest'
import { citationsOf, expectSound, quotedRows } from './citations.ts'
import { openSession } from './session.ts'
import { asyncioFolder, gitFolder, picomatchFolder, place, zodFolder } from './trees.ts'

const asyncio = asyncioFolder()

async function expectFirst(folder: string, question: string, first: string): Promise<void> {
  const session = await openSession(folder)

  const exchange = await session.ask(question)

  expectSound(exchange)
  expect(quotedRows(exchange.text)[0]?.split('  ', 1)[0]).toBe(first)
}

describe('offlineGuide in a package of TypeScript with its build beside it', () => {
  it.each([
    ['where is $ZodType defined?', 'src/v4/core/schemas.ts:192'],
    ['who calls _safeParseAsync?', 'src/v4/core/parse.ts:111'],
    ['which files import doc.js?', 'src/v4/core/compile.ts:4'],
    ['What does this project do?', 'package.json:2'],
    ['what license does it have?', 'package.json:5'],
    ['how do I install it?', 'README.md:77'],
    ['read lines 16-18 of src/v4/core/doc.ts', 'src/v4/core/doc.ts:16'],
    ['find *.md files', 'README.md'],
  ])('answers %j with %s first', (question, first) => expectFirst(zodFolder(), question, first))

  it('cites the definitions of a name before any use, from sources before build output', async () => {
    const session = await openSession(zodFolder())

    const exchange = await session.ask('where is safeParseAsync defined?')

    expectSound(exchange)
    const cited = citationsOf(exchange.text).map(({ path, line }) => `${path}:${line}`)
    expect(cited.slice(0, 2).sort()).toEqual(['src/v4/classic/parse.ts:29', 'src/v4/core/parse.ts:119'])
  })

  it('counts files past the cap of one listing', async () => {
    const session = await openSession(zodFolder())

    const { text } = await session.ask('how many files are there?')

    expect(text).toMatch(/^I found 840 files\.\n/)
  })
})

describe('offlineGuide in a package of JavaScript without a build', () => {
  it.each([
    ['where is scan defined?', 'lib/scan.js:49'],
    ['where is `parse.fastpaths` defined?', 'lib/parse.js:1339'],
    ['where is escapeLast used?', 'lib/utils.js:36'],
    ['what are the dependencies?', 'package.json:30'],
    ['list all functions in lib/utils.js', 'lib/utils.js:1'],
    ['which files are in lib?', 'lib/constants.js'],
  ])('answers %j with %s first', (question, first) => expectFirst(picomatchFolder(), question, first))
})

describe('offlineGuide in a folder of shell scripts', () => {
  it.each([
    ['where is require_work_tree defined?', 'git-sh-setup', 'require_work_tree ()'],
    ['where is create_virtual_base() used?', 'git-sh-setup', 'create_virtual_base()'],
    ['how does run_merge_tool work?', 'git-mergetool--lib', 'run_merge_tool ()'],
    ['explain git-sh-setup', 'git-sh-setup', '# This shell scriplet'],
  ])('answers %j from %s', (question, file, start) =>
    expectFirst(gitFolder(), question, place(gitFolder(), file, start)),
  )

  it('says plainly that a folder without manifest and readme has none', async () => {
    const session = await openSession(gitFolder())

    const { text } = await session.ask('what does this project do?')

    expect(text).toMatch(/I found no manifest and no readme/)
    expect(text).toMatch(/mergetools\/ {2}\d+ files/)
  })
})

describe.skipIf(asyncio === undefined)('offlineGuide in a library of Python (skipped without python3)', () => {
  it.each([
    ['where is gather defined?', 'tasks.py', 'def gather('],
    ['where is the class TaskGroup defined?', 'taskgroups.py', 'class TaskGroup'],
  ])('answers %j from %s', (question, file, start) =>
    expectFirst(asyncio ?? '', question, place(asyncio ?? '', file, start)),
  )
})
