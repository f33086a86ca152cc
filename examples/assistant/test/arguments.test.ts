import { describe, expect, it } from 'vitest'
import { parseArguments } from '../src/arguments.ts'
import { UsageError } from '../src/usage.ts'

const id = '01a22934-94a3-7911-bcb8-d367365340ea'

function messageOf(argv: readonly string[]): string {
  try {
    parseArguments(argv)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return 'no error'
}

describe('parseArguments', () => {
  it('takes one question with the defaults', () => {
    expect(parseArguments(['Where is X?'])).toEqual({
      kind: 'run',
      question: 'Where is X?',
      session: { kind: 'new' },
      outputFormat: 'text',
      print: false,
    })
  })

  it('takes every option of a run', () => {
    const argv = ['--workspace', 'w', '--model', 'openai/gpt', '--base-url', 'http://h/v1', '--data-dir', 'd', '-p']

    expect(parseArguments([...argv, '--output-format', 'stream-json', '--continue', 'Why?'])).toEqual({
      kind: 'run',
      question: 'Why?',
      workspace: 'w',
      dataDir: 'd',
      model: 'openai/gpt',
      baseUrl: 'http://h/v1',
      session: { kind: 'latest' },
      outputFormat: 'stream-json',
      print: true,
    })
  })

  it('asks line by line without a question', () => {
    expect(parseArguments([])).toMatchObject({ kind: 'run', question: undefined })
  })

  it('takes a question that begins with a dash after --', () => {
    expect(parseArguments(['--', '-v means what?'])).toMatchObject({ kind: 'run', question: '-v means what?' })
  })

  it('takes an id in upper case as the same session', () => {
    expect(parseArguments(['--resume', id.toUpperCase()])).toMatchObject({ session: { kind: 'resume', id } })
  })

  it('takes sessions with its options', () => {
    expect(parseArguments(['sessions', '--data-dir', 'd', '--output-format', 'json'])).toEqual({
      kind: 'sessions',
      workspace: undefined,
      dataDir: 'd',
      outputFormat: 'json',
    })
  })

  it('prefers help and version to everything else', () => {
    expect(parseArguments(['a', 'b', '--help'])).toEqual({ kind: 'help' })
    expect(parseArguments(['-v'])).toEqual({ kind: 'version' })
  })

  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--print=yes'], "Option '-p, --print' does not take an argument"],
    [['--workspace'], "Option '--workspace <value>' argument missing"],
    [['--workspace', ''], '--workspace: expected a value'],
    [['one', 'two'], 'expected one question; put it in quotes'],
    [['  '], 'the question is empty'],
    [['--output-format', 'xml'], '--output-format: expected text, json or stream-json'],
    [['--resume', 'latest'], '--resume: expected a session id; `npm start -- sessions` lists them'],
    [['--resume', id, '--continue'], '--resume and --continue exclude each other'],
    [['--script', 's.json', '--model', 'a/b'], '--script and --model exclude each other'],
    [['--script', 's.json', '--base-url', 'http://h'], '--script and --base-url exclude each other'],
    [['sessions', 'all'], 'sessions takes no further argument'],
    [['sessions', '--model', 'a/b'], 'sessions does not take --model'],
    [['sessions', '--base-url', 'http://h'], 'sessions does not take --base-url'],
    [['sessions', '--script', 's.json'], 'sessions does not take --script'],
    [['sessions', '--continue'], 'sessions does not take --continue'],
    [['sessions', '--resume', id], 'sessions does not take --resume'],
    [['sessions', '--print'], 'sessions does not take --print'],
  ])('refuses %j', (argv, message) => {
    expect(messageOf(argv)).toBe(message)
  })
})
