import { describe, expect, it } from 'vitest'
import { classify } from '../../src/guide/classify.ts'

describe('classify', () => {
  it.each([
    ['', { kind: 'greeting' }],
    ['Hello!', { kind: 'greeting' }],
    ['what can you do?', { kind: 'greeting' }],
    ['What did I ask?', { kind: 'recall', of: 'questions' }],
    ['what was my earlier question', { kind: 'recall', of: 'questions' }],
    ['what did we look at?', { kind: 'recall', of: 'work' }],
    ['What does this project do?', { kind: 'overview' }],
    ['give me an overview', { kind: 'overview' }],
    ['how do I install it?', { kind: 'fact', fact: 'install' }],
    ['How do I run the tests?', { kind: 'fact', fact: 'test' }],
    ['how can I build this?', { kind: 'fact', fact: 'build' }],
    ['what license is it under', { kind: 'fact', fact: 'licence' }],
    ['what are the dependencies?', { kind: 'fact', fact: 'dependencies' }],
    ['which packages does it use?', { kind: 'fact', fact: 'dependencies' }],
    ['what is the entry point?', { kind: 'fact', fact: 'entry' }],
  ])('reads %j', (question, expected) => {
    expect(classify(question)).toEqual(expected)
  })

  it.each([
    ['where is fooBar defined?', { name: { name: 'fooBar' }, about: 'definition' }],
    ["where's `parse` defined", { name: { name: 'parse' }, about: 'definition' }],
    ['Where is Foo.bar() implemented?', { name: { name: 'bar', qualifier: 'Foo' }, about: 'definition' }],
    [
      'where is std::vector::push_back declared',
      { name: { name: 'push_back', qualifier: 'vector' }, about: 'definition' },
    ],
    ['definition of the function join', { name: { name: 'join' }, about: 'definition' }],
    ['where is "my-name" defined', { name: { name: 'my-name' }, about: 'definition' }],
    ['where is fooBar used in src/a?', { name: { name: 'fooBar' }, about: 'use', within: 'src/a' }],
    ['who calls die?', { name: { name: 'die' }, about: 'call' }],
    ['which files import zod?', { name: { name: 'zod' }, about: 'import' }],
    ['which files import "./parse.js"?', { name: { name: 'parse.js' }, about: 'import' }],
    ['which tests use fooBar', { name: { name: 'fooBar' }, about: 'test' }],
    ['how does foo_bar work?', { name: { name: 'foo_bar' }, about: 'explanation' }],
    ['Wo wird fooBar aufgerufen?', { name: { name: 'fooBar' }, about: 'explanation' }],
  ])('finds the name in %j', (question, expected) => {
    expect(classify(question)).toEqual({ kind: 'name', ...expected })
  })

  it.each([
    ['list files', {}],
    ['find *.py files', { glob: '*.py' }],
    ['find src/**/*.ts', { glob: 'src/**/*.ts' }],
    ['list all typescript files', { extensions: ['ts', 'tsx', 'mts', 'cts'] }],
    ['find .yaml files', { extensions: ['yaml'] }],
    ['how many test files are there?', { tests: true }],
    ['what tests are there?', { tests: true }],
    ['which files are in src/core', { folder: 'src/core' }],
    ['list files in lib', { folder: 'lib' }],
    ['find files named config', { name: 'config' }],
    ['where is package.json?', { name: 'package.json' }],
    ['what is in src/', { folder: 'src' }],
  ])('finds the filter in %j', (question, filter) => {
    expect(classify(question)).toEqual({ kind: 'files', filter })
  })

  it.each([
    ['show src/index.ts', { path: 'src/index.ts', outline: false }],
    ['explain parse.ts', { path: 'parse.ts', outline: true }],
    ['what does ./lib/a.js do?', { path: 'lib/a.js', outline: true }],
    ['show the readme', { path: 'readme', outline: false }],
    ['explain git-sh-setup', { path: 'git-sh-setup', outline: true }],
    ['read lines 10-20 of a.go', { path: 'a.go', outline: false, range: { from: 10, to: 20 } }],
    ['show line 7 in a.go', { path: 'a.go', outline: false, range: { from: 7, to: 7 } }],
    ['lines 20 to 10 of a.go', { path: 'a.go', outline: false, range: { from: 20, to: 20 } }],
  ])('finds the file in %j', (question, expected) => {
    expect(classify(question)).toEqual({ kind: 'file', ...expected })
  })

  it.each([
    ['how are errors formatted?', { terms: ['format', 'error'], phrase: false }],
    ['find TODO comments', { terms: ['comment', 'TODO'], phrase: false }],
    ['search for "hello world"', { terms: ['hello world'], phrase: true }],
    ['Wie werden Passwörter geprüft?', { terms: ['passwört', 'geprüft'], phrase: false }],
  ])('searches the terms of %j', (question, expected) => {
    expect(classify(question)).toEqual({ kind: 'terms', ...expected })
  })

  it('takes a pronoun for the name of the latest question that had one', () => {
    const earlier = ['where is fooBar defined?', 'what did I ask?']

    const asked = classify('and where is it used?', earlier)

    expect(asked).toEqual({ kind: 'name', name: { name: 'fooBar' }, about: 'use' })
  })

  it('reads a question of a million characters in no time', () => {
    const started = performance.now()

    classify(`${'(((a.b::'.repeat(125_000)} where is fooBar defined?`)

    expect(performance.now() - started).toBeLessThan(500)
  })
})
