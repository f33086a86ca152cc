import { describe, expect, it } from 'vitest'
import { encode } from '../../wire/encode.mjs'
import { tempTree } from '../temp-tree.ts'
import { runCommand } from './source-doors.ts'

const hello = { role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }
const request = {
  model: { provider: 'test', name: 'lark-2' },
  system: 'Be brief.',
  messages: [hello],
  tools: [{ name: 'now', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } }],
  sampling: { maxOutputTokens: 64 },
}

function run(content: unknown, ...args: string[]) {
  const folder = tempTree({ 'r.json': typeof content === 'string' ? content : JSON.stringify(content) })
  return runCommand(encode, folder, [...args, 'r.json'])
}

describe('encode', () => {
  it.each([
    ['anthropic-messages', { max_tokens: 64, messages: [{ role: 'user' }] }],
    ['openai-chat', { max_tokens: 64, messages: [{ role: 'system' }, { role: 'user', content: 'Hi' }] }],
    ['openai-responses', { max_output_tokens: 64, instructions: 'Be brief.' }],
    ['gemini', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
    ['bedrock-converse', { inferenceConfig: { maxTokens: 64 }, messages: [{ role: 'user' }] }],
  ])('prints the body of %s', async (api, body) => {
    expect(await run(request, '--api', api)).toMatchObject({ code: 0, lines: [body] })
  })

  it('asks for a stream, and writes as the server of a profile wants it', async () => {
    const { lines } = await run(request, '--', '--api', 'openai-chat', '--profile', 'groq', '--stream')

    expect(lines).toMatchObject([{ stream: true, stream_options: { include_usage: true } }])
  })

  it('takes a bare name for a model', async () => {
    expect(await run({ model: 'lark-2', messages: [] }, '--api', 'openai-chat')).toEqual({
      code: 0,
      lines: [{ model: 'lark-2', messages: [] }],
    })
  })

  it('takes the capabilities of a model at their word', async () => {
    const model = { ...request.model, capabilities: {} }

    expect(await run({ ...request, model }, '--api', 'openai-chat')).toEqual({
      code: 1,
      lines: [{ file: 'r.json', error: { kind: 'unsupported', message: 'tools: the model has no tools capability' } }],
    })
  })

  it.each([
    ['no JSON', '{"model":', 'the request: is not JSON'],
    ['no messages', { model: 'lark-2' }, 'messages'],
    ['a message of no role', { model: 'lark-2', messages: [{ role: 'robot', blocks: [] }] }, 'messages.0.role'],
    ['a field that is none', { model: 'lark-2', messages: [], temperature: 1 }, 'temperature'],
  ])('says what is wrong with %s', async (_what, content, message) => {
    expect(await run(content, '--api', 'openai-chat')).toMatchObject({
      code: 1,
      lines: [{ error: { kind: 'invalid_request_file', message: expect.stringContaining(message) } }],
    })
  })

  it('gives a file that cannot be read a line with an error', async () => {
    expect(await runCommand(encode, tempTree({}), ['--api', 'gemini', 'gone.json'])).toEqual({
      code: 1,
      lines: [{ file: 'gone.json', error: { kind: 'unreadable', message: 'cannot be read (ENOENT)' } }],
    })
  })

  it.each([
    [['--api', 'openai-chat'], 'no FILE is given'],
    [['--api', 'openai-chat', 'a.json', 'b.json'], 'give one FILE'],
    [['a.json'], '--api is missing'],
  ])('refuses %j', async (args, message) => {
    await expect(runCommand(encode, tempTree({}), args)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    })
  })
})
