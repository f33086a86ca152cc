import { describe, expect, it } from 'vitest'
import { buildTool, newContext } from '../../support/call-tool.ts'
import { grepBoth, grepEngines } from '../../support/grep-engines.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

const lines = [
  'ab abc foo',
  'éa FOO bar_baz naïve',
  '',
  'a.b-c[d] a&&b~~c--d {x}',
  'tab\there',
  `${'x'.repeat(500)}foo${'é'.repeat(300)}`,
  'K k ſ s \u212a',
  '日本語 😀 text',
  'αβγ Ω',
  '123 ٣',
  'a\rb foo\rc',
  ' ',
  '\x07\x0b\x0c bell',
]

const tree = {
  'a.txt': `${lines.join('\n')}\n`,
  'crlf.txt': lines.join('\r\n'),
  'd/bom.txt': `\ufeff${lines.slice(0, 5).join('\r\n')}\r\n\r\n`,
  'd.txt': 'foo',
  empty: '',
  'only-line-end': '\n',
  'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('foo ab\né\n', 'utf16le')]),
  binary: 'foo\0ab\né',
}

/** Patterns that both engines take, for what they could disagree on. */
const accepted: readonly (readonly [string, readonly string[]])[] = [
  ['literals', ['foo', 'a.b', '\\.', 'a&&b', '{x}', 'd]', '日本', '😀']],
  ['anchors', ['^foo', 'foo$', '^$', '^', '(?m)^a', 'a$|^1', '^\\s+$']],
  ['words', ['\\bfoo\\b', '\\bna\\b', '\\w+', '\\W', '[\\w-]+$', '[^\\W]']],
  ['sets', ['[^a]', '[]a]', '[^]a]', '[a&&b]', '[~~a]', '[a[b]', '[+--]', '[😀-😎]', '[^\\n]', '[[:^digit:]x]']],
  ['numbers and space', ['\\d', '\\D+$', '\\s', '\\S{3}', '[\\d\\s]']],
  ['unicode classes', ['\\p{L}', '\\pN', '\\P{L}', '\\p{^Greek}', '\\p{Lu}', '[\\p{Ll}0]', '^.$']],
  ['escapes', ['\\x41', '\\x{e9}', '\\t', '\\v', '\\a', '\\-', '\\<', '\\_']],
  ['alternations and groups', ['foo|bar', '(foo|bar)_', '(?:ab)+', '(?P<name>a)b', '(?<name>a)b', '()', 'a|']],
  ['repeats', ['a{2}', 'a{,2}', 'x{500}', 'x{0}', 'a*', 'a+?', '(ab?){1,2}']],
  ['flags', ['(?i)foo', '(?i:FOO)', '(?s:.)', '(?U)a+', '(?i)k', '(?i)\\w', '(?i)\\p{Lu}', 'f(?-i)oo']],
  ['repeated assertions', ['^*a', '\\b+a', '(?:^)+a', '$*']],
]

const refused = [
  ...['(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b', '(?>a)', '(?#a)', '(?x)a', '(?-m)^a', '(?i)*a', '(?)'],
  ...['\\1', '\\07', '\\0', '\\Qa\\E', '\\C', '\\A', '\\z', '\\Z', '\\B', '\\K', '\\X', '\\R', '\\h', '\\e', '\\cA'],
  ...['\\u0041', '\\n', '\\r', 'a\nb', '[\\n]', '\\x{110000}', '\\x{D800}', '\\é', '\\'],
  ...['\\p{Letter}', '\\p{greek}', '\\p{Cs}', '\\p{Tai_Yo}', '\\p'],
  ...['a**', 'a++', '*a', '+', 'a{2}{3}', 'a{1001}', '(a{100}){11}', 'a{2,1}', '(?:\\p{L}{500}){2}\\p{L}{500}'],
  ...['(', ')', '[a', '[z-a]', '[a-\\d]', '[a--]', '[[:foo:]]'],
]

describe('grepDefinition: both engines', () => {
  it.each(accepted)('agree on %s', async (_group, patterns) => {
    const root = await tempWorkspace(tree)

    for (const pattern of patterns) {
      const result = await grepBoth(root, { pattern, context_lines: 1 })
      expect(result).toMatchObject({ isError: false })
    }
  })

  it('agree when case does not matter', async () => {
    const root = await tempWorkspace(tree)

    for (const pattern of ['foo', 'É', 'k', 's', 'ſ', '[a-c]x?', '\\bFOO\\b', 'STRASSE|Ω', '\\p{Lu}a']) {
      const result = await grepBoth(root, { pattern, ignore_case: true })
      expect(result).toMatchObject({ isError: false })
    }
  })

  it('agree on lines that are not UTF-8, where no match spans the broken bytes', async () => {
    const broken = Buffer.concat([
      Buffer.from('foo '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(' ab\né'),
      Buffer.from([0xc3]),
    ])
    const root = await tempWorkspace({ broken })

    for (const pattern of ['foo', 'foo.*ab', '^foo', 'ab$', '.{5}', '[^a]{5}', '\\bab\\b', '\\x{FFFD}', 'é']) {
      await grepBoth(root, { pattern })
    }
  })

  it.each(refused)('both refuse %s', async (pattern) => {
    const root = await tempWorkspace({ 'a.txt': 'aab\n' })

    for (const [, definition] of grepEngines) {
      const tool = await buildTool(definition, root)
      await expect(tool.prepareCall(newContext(), JSON.stringify({ pattern }))).rejects.toMatchObject({
        code: 'invalid_pattern',
      })
    }
  })
})
