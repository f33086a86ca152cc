import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { UsageError } from './usage.ts'

/** Lines from a person or a pipe, one at a time. */
export interface LineSource {
  /** The next line without its end; `undefined` when there is none any more. */
  next(): Promise<string | undefined>
  /** Shows that a line is expected. */
  prompt(): void
  /** Ends it; a waiting `next` resolves with `undefined`. */
  close(): void
}

/** Longer lines are refused rather than held. */
const maxLineCharacters = 1024 * 1024

/** Lines that a person types, with editing and history. Ctrl-C goes to `onInterrupt`; Ctrl-D ends. */
export function terminalLines(stdin: Readable, stderr: Writable, onInterrupt: () => void): LineSource {
  const terminal = createInterface({ input: stdin, output: stderr, terminal: true, prompt: '> ', historySize: 100 })
  terminal.on('SIGINT', onInterrupt)
  const lines = terminal[Symbol.asyncIterator]()
  return {
    next: async () => {
      const { value, done } = await lines.next()
      return done === true ? undefined : value
    },
    prompt: () => terminal.prompt(true),
    close: () => terminal.close(),
  }
}

/** Lines of a pipe or file, read no faster than they are taken. */
export function pipedLines(stdin: Readable): LineSource {
  const lines = splitLines(stdin)
  let close = (): void => undefined
  const closed = new Promise<undefined>((resolve) => {
    close = () => resolve(undefined)
  })
  return {
    next: () => Promise.race([closed, lines.next().then(({ value }) => value ?? undefined)]),
    prompt: () => undefined,
    close: () => {
      close()
      stdin.destroy()
    },
  }
}

async function* splitLines(stdin: Readable): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of stdin) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield withoutReturn(line)
    if (rest.length > maxLineCharacters) throw new UsageError('a line of stdin has more than 1,048,576 characters')
  }
  rest += decoder.end()
  if (rest !== '') yield withoutReturn(rest)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
