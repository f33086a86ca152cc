/** `pnpm decode`: what the codecs make of recorded responses, one JSON object a line. */
import { extname } from 'node:path'
import { readArguments, readCodec, readNumber } from './arguments.mjs'
import { outcomeOf } from './outcome.mjs'
import { readBytes } from './read-file.mjs'
import { UsageError } from './usage-error.mjs'

export const usage = `Usage: pnpm --silent decode -- --api NAME [OPTIONS] FILE...

Prints what each recorded response comes to, one JSON object a line.

  --api NAME      anthropic-messages, openai-chat, openai-responses, gemini or bedrock-converse
  --profile NAME  the kind of server, for openai-chat: mistral, deepseek, openrouter, ...
  --status N      the HTTP status of the response (default: 200)
  --chunk BYTES   feeds a stream in pieces of this size
  --crlf          ends the lines of a .sse file with CR LF
  --cut EVENTS    ends a stream after this many events

A file's ending tells what it is: .sse a stream of events, .bin a stream of AWS, .json a whole response.
`

/** @type {Readonly<Record<string, {form: 'stream' | 'whole', framing?: 'sse' | 'eventstream'}>>} */
const endings = {
  '.sse': { form: 'stream', framing: 'sse' },
  '.bin': { form: 'stream', framing: 'eventstream' },
  '.json': { form: 'whole' },
}

/**
 * Runs the command.
 *
 * @param {readonly string[]} args
 * @param {{doors: import('./codecs.mjs').Doors, folder: string, write: (line: string) => void}} context
 * @returns {Promise<number>} the exit code: 0, or 1 when a file could not be read.
 * @throws {UsageError}
 */
export async function decode(args, { doors, folder, write }) {
  const { values, positionals } = readArguments(args, {
    api: { type: 'string' },
    profile: { type: 'string' },
    status: { type: 'string' },
    chunk: { type: 'string' },
    crlf: { type: 'boolean' },
    cut: { type: 'string' },
  })
  const { api, codec } = await readCodec(values.api, values.profile, doors)
  const status = readNumber('status', values.status, 100, 599)
  const chunkBytes = readNumber('chunk', values.chunk, 1, maxCount)
  const cutAfter = readNumber('cut', values.cut, 0, maxCount)
  if (positionals.length === 0) throw new UsageError('no FILE is given')
  const files = positionals.map((file) => ({ file, ...readEnding(file, api, codec.framing) }))

  const { decodeRecording } = await doors.testing()
  let code = 0
  for (const { file, form, framing } of files) {
    const { bytes, error } = await readBytes(folder, file)
    if (error !== undefined) {
      write(JSON.stringify({ file, error }))
      code = 1
      continue
    }
    const fed = values.crlf && framing === 'sse' ? withCrlf(bytes) : bytes
    const decoded = await decodeRecording(codec, { bytes: fed, form, status }, { chunkBytes, cutAfter })
    write(JSON.stringify({ file, ...outcomeOf(decoded, form) }))
  }
  return code
}

const maxCount = 2 ** 31 - 1

/**
 * @param {string} file
 * @param {string} api
 * @param {'sse' | 'eventstream'} framing
 */
function readEnding(file, api, framing) {
  const ending = endings[extname(file).toLowerCase()]
  if (ending === undefined) throw new UsageError(`${file}: give files that end in .sse, .bin or .json`)
  if (ending.framing !== undefined && ending.framing !== framing) {
    throw new UsageError(`${file}: streams of ${api} end in ${framing === 'sse' ? '.sse' : '.bin'}`)
  }
  return ending
}

/** @param {Buffer} bytes */
function withCrlf(bytes) {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}
