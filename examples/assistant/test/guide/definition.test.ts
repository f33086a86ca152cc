import { describe, expect, it } from 'vitest'
import { definitionSearch, hasName, standingOf, wordSearch } from '../../src/guide/definition.ts'

const definitions: readonly (readonly [string, string, string])[] = [
  ['a.ts', 'export const thing: Thing = 1', 'definition'],
  ['a.ts', 'export default async function* thing<T>(a: T) {', 'definition'],
  ['a.ts', 'export declare abstract class thing<T> {', 'definition'],
  ['a.ts', '  async thing(a, b) {', 'member'],
  ['a.ts', '  private static thing = 1', 'member'],
  ['a.ts', '  abstract thing(input: string): void;', 'declaration'],
  ['a.ts', '  thing?: (a: string) => void', 'declaration'],
  ['a.js', 'module.exports.thing = () => {', 'member'],
  ['a.js', 'Foo.prototype.thing = function () {', 'member'],
  ['a.py', 'async def thing(a):', 'definition'],
  ['a.py', '    def thing(self):', 'definition'],
  ['a.py', 'class thing(Base):', 'definition'],
  ['a.py', 'thing: int = 3', 'definition'],
  ['a.py', '        self.thing = 3', 'member'],
  ['a.go', 'func (r *Reader) thing(n int) error {', 'definition'],
  ['a.go', 'type thing struct {', 'definition'],
  ['a.rs', 'pub(crate) async unsafe fn thing<T>(a: T) {', 'definition'],
  ['a.rs', 'macro_rules! thing {', 'definition'],
  ['A.java', '  public static final int thing(int a) {', 'definition'],
  ['A.java', '@Foo public final class thing<T> extends B {', 'definition'],
  ['A.java', '    private final List<String> thing = null;', 'member'],
  ['a.kt', 'suspend fun thing(a: Int): Int {', 'definition'],
  ['a.c', '#define thing(a) ((a) + 1)', 'definition'],
  ['a.c', 'static const char *thing(int a)', 'definition'],
  ['a.c', 'typedef struct foo thing;', 'definition'],
  ['a.c', 'typedef void (*thing)(int);', 'definition'],
  ['a.c', '} thing;', 'definition'],
  ['a.c', 'thing (int a)', 'definition'],
  ['a.h', 'extern int thing (const char *a, ...);', 'declaration'],
  ['a.cpp', 'std::string Foo::thing(int a) const {', 'definition'],
  ['a.sh', 'thing () {', 'definition'],
  ['script', '\tfunction thing {', 'definition'],
  ['script', 'export thing=1', 'definition'],
  ['a.sh', `: "\${thing:=1}"`, 'definition'],
  ['Makefile', 'thing: a.o b.o', 'definition'],
  ['a.rb', '  def self.thing(a)', 'definition'],
  ['a.pl', 'sub thing {', 'definition'],
  ['a.sql', 'CREATE OR REPLACE VIEW thing AS', 'definition'],
]

describe('standingOf', () => {
  it.each(definitions)('in %s takes %j for a %s', (path, text, standing) => {
    expect(standingOf('thing')({ path, line: 1, text })).toBe(standing)
  })

  it.each([
    ['a.ts', '  return thing(1)'],
    ['a.ts', 'const other = await thing(1)'],
    ['a.ts', 'const $thing = 1'],
    ['a.ts', 'const thingy = 1'],
    ['a.ts', '// const thing = 1'],
    ['a.js', "const thing = require('./thing')"],
    ['a.py', 'from thing import other'],
    ['a.py', 'if thing == 3:'],
    ['a.c', '  return thing (1);'],
    ['README.md', 'const thing = 1'],
    ['a.json', '  "thing": 1'],
  ])('in %s takes %j for a use', (path, text) => {
    expect(standingOf('thing')({ path, line: 1, text })).toBeUndefined()
  })

  it('takes a name with signs of a pattern literally', () => {
    const standing = standingOf('$a.b(')

    expect(standing({ path: 'a.ts', line: 1, text: 'const $aXb( = 1' })).toBeUndefined()
  })

  it('judges a hostile line of ten thousand characters in no time', () => {
    const standing = standingOf('thing')
    const started = performance.now()

    for (const path of ['a.ts', 'a.py', 'a.go', 'A.java', 'a.c', 'a.sh', 'a.rb']) {
      standing({ path, line: 1, text: `${'a<b> '.repeat(100)}${'thing '.repeat(80)}((((` })
    }

    expect(performance.now() - started).toBeLessThan(500)
  })
})

describe('definitionSearch', () => {
  it.each(definitions)('in %s finds %j by keyword or by shape', (_path, text) => {
    const searches = [definitionSearch('thing', 'keyword'), definitionSearch('thing', 'shape')]

    expect(searches.some((search) => new RegExp(search).test(text))).toBe(true)
  })

  it('stays below the longest pattern that a search takes, even for a long name', () => {
    const search = definitionSearch('n'.repeat(100), 'keyword')

    expect(search.length).toBeLessThanOrEqual(1_000)
  })
})

describe('hasName', () => {
  it.each([
    ['a.ts', 'const $thing = 1', false],
    ['a.ts', 'thing()', true],
    ['a.sh', 'echo "$thing"', true],
  ])('in %s tells whether %j has the name: %s', (path, text, expected) => {
    expect(new RegExp(wordSearch('thing')).test(text)).toBe(true)
    expect(hasName('thing')({ path, line: 1, text })).toBe(expected)
  })
})
