/** `pnpm encode`: the body that a codec makes of a neutral request. */
import { readArguments, readCodec } from './arguments.mjs'
import { readBytes } from './read-file.mjs'
import { InvalidRequestError, readRequest } from './read-request.mjs'
import { UsageError } from './usage-error.mjs'

export const usage = `Usage: pnpm --silent encode -- --api NAME [--profile NAME] [--stream] FILE

Prints the body that goes on the wire for a neutral request, as JSON on one line.

  --api NAME      anthropic-messages, openai-chat, openai-responses, gemini or bedrock-converse
  --profile NAME  the kind of server, for openai-chat: mistral, deepseek, openrouter, ...
  --stream        asks for the response as a stream

FILE holds an InferenceRequest: {"model": {"provider", "name"}, "messages": [{"role", "blocks"}], ...}. A model without
"capabilities" is taken to take everything but thinking and cache markers; it may also be its bare name.
`

/**
 * Runs the command.
 *
 * @param {readonly string[]} args
 * @param {{doors: import('./codecs.mjs').Doors, folder: string, write: (line: string) => void}} context
 * @returns {Promise<number>} the exit code: 0, or 1 when the file holds no request that can be expressed.
 * @throws {UsageError}
 */
export async function encode(args, { doors, folder, write }) {
  const { values, positionals } = readArguments(args, {
    api: { type: 'string' },
    profile: { type: 'string' },
    stream: { type: 'boolean' },
  })
  const { codec } = await readCodec(values.api, values.profile, doors)
  const [file, another] = positionals
  if (file === undefined) throw new UsageError('no FILE is given')
  if (another !== undefined) throw new UsageError('give one FILE')

  const { bytes, error } = await readBytes(folder, file)
  if (error !== undefined) return failed(file, error, write)
  try {
    const request = await readRequest(bytes.toString('utf8'), doors)
    write(codec.encode(request, values.stream === true ? 'stream' : 'whole').body)
    return 0
  } catch (thrown) {
    return failed(file, await describe(thrown, doors), write)
  }
}

/**
 * @param {string} file
 * @param {{kind: string, message: string}} error
 * @param {(line: string) => void} write
 */
function failed(file, error, write) {
  write(JSON.stringify({ file, error }))
  return 1
}

/**
 * @param {unknown} thrown
 * @param {import('./codecs.mjs').Doors} doors
 */
async function describe(thrown, doors) {
  if (thrown instanceof InvalidRequestError) return { kind: 'invalid_request_file', message: thrown.message }
  const { isLooprigError } = await doors.core()
  if (isLooprigError(thrown) && 'code' in thrown) return { kind: String(thrown.code), message: thrown.message }
  throw thrown
}
