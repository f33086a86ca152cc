import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSummary, type SummaryDocument, writeSummary } from '../../src/context/summary-document.ts'

const document: SummaryDocument = {
  goal: 'Fix the parser.',
  constraints: 'No new dependency.',
  decisions: '',
  state: 'parse.ts is read.',
  open_items: 'tests',
}
const parts = ['goal', 'constraints', 'decisions', 'state', 'open_items'] as const

/** The document with one text put in the place of another. */
function changed(from: string, to: string): string {
  const written = writeSummary(document)
  expect(written).toContain(from)
  return written.replace(from, to)
}

describe('parseSummary', () => {
  it('reads what was written, whatever it says', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(
        fc.record({ goal: text, constraints: text, decisions: text, state: text, open_items: text }),
        (any) => {
          const sound = Object.fromEntries(parts.map((part) => [part, readable(any[part])]))
          const filled = { ...document, ...sound, goal: `g${sound.goal}`, state: `s${sound.state}` }
          const trimmed = Object.fromEntries(parts.map((part) => [part, filled[part].trim()]))

          expect(parseSummary(writeSummary(filled))).toEqual(trimmed)
        },
      ),
    )
  })

  it('takes white space between the tags and around them', () => {
    const spaced = `\n  ${writeSummary(document).replaceAll('><', '>\r\n\t <')}\n\n`

    expect(parseSummary(spaced)).toEqual(document)
  })

  it('reads entities and references', () => {
    const text = changed('Fix the parser.', 'A &lt;b&gt; &amp;amp; &quot;c&quot; &apos;d&apos; &#65; &#x1F600;')

    expect(parseSummary(text)?.goal).toBe('A <b> &amp; "c" \'d\' A 😀')
  })

  it.each([
    ['nothing', ''],
    ['prose', 'Here is the summary.'],
    ['words before', `Sure:\n${writeSummary(document)}`],
    ['words after', `${writeSummary(document)}\nDone.`],
    ['a fence', `\`\`\`xml\n${writeSummary(document)}\n\`\`\``],
    ['a declaration', `<?xml version="1.0"?>${writeSummary(document)}`],
    ['two documents', writeSummary(document).repeat(2)],
    ['a missing part', changed('<decisions></decisions>\n', '')],
    ['a part that closes itself', changed('<decisions></decisions>', '<decisions/>')],
    ['a part twice', changed('<decisions></decisions>', '<decisions></decisions><decisions></decisions>')],
    [
      'another order',
      changed('<goal>Fix the parser.</goal>\n', '').replace('<decisions>', '<goal>x</goal><decisions>'),
    ],
    ['another part', changed('<decisions></decisions>', '<decisions></decisions><notes></notes>')],
    ['an attribute', changed('<goal>', '<goal kind="x">')],
    ['an attribute of the root', changed('<summary>', '<summary version="1">')],
    ['another case', changed('<goal>', '<Goal>').replace('</goal>', '</Goal>')],
    ['a tag inside', changed('Fix the parser.', 'Fix <b>the</b> parser.')],
    ['a bare bracket', changed('Fix the parser.', 'Array<string>')],
    ['a comment', changed('Fix the parser.', '<!-- x -->Fix')],
    ['raw text', changed('Fix the parser.', '<![CDATA[x]]>')],
    ['a bare ampersand', changed('Fix the parser.', 'a && b')],
    ['an unknown entity', changed('Fix the parser.', '&nbsp;x')],
    ['an entity that does not end', changed('Fix the parser.', 'x &lt')],
    ['a reference to no character', changed('Fix the parser.', '&#x110000;')],
    ['a reference to half a character', changed('Fix the parser.', '&#xD800;')],
    ['a reference to a control character', changed('Fix the parser.', '&#0;x')],
    ['a control character', changed('Fix the parser.', 'x\u0007')],
    ['half a character', changed('Fix the parser.', 'x\ud83d')],
    ['a blank goal', changed('Fix the parser.', ' \n ')],
    ['a blank state', changed('parse.ts is read.', '')],
    ['text between parts', changed('</goal>', '</goal> and')],
    ['half a document', writeSummary(document).slice(0, -4)],
  ])('refuses %s', (_, text) => {
    expect(parseSummary(text)).toBeUndefined()
  })

  it('reads a megabyte of openings without end in no time', () => {
    const started = performance.now()
    expect(parseSummary(`<summary><goal>${'&'.repeat(1_000_000)}`)).toBeUndefined()
    expect(parseSummary(`${' '.repeat(1_000_000)}<summary>${'<goal>'.repeat(100_000)}`)).toBeUndefined()

    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

/** A text as it is after one writing: what XML does not have is U+FFFD. */
function readable(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
}
