import { describe, expect, it } from 'vitest'
import { decode } from '../../wire/decode.mjs'
import { tempTree } from '../temp-tree.ts'
import { runCommand } from './source-doors.ts'

const frame = (choice: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'r1', model: 'lark-2', choices: [{ index: 0, ...choice }], ...rest })}\n\n`
const call = { index: 0, id: 'call_1', function: { name: 'now', arguments: '{"zone":' } }
const stream = [
  frame({ delta: { reasoning: 'Which zone?' } }),
  frame({ delta: { content: 'Ünïcode 👋' } }),
  frame({ delta: { tool_calls: [call] } }),
  frame({ delta: { tool_calls: [{ index: 0, function: { arguments: '"UTC"}' } }] } }),
  frame({ delta: {}, finish_reason: 'tool_calls' }, { usage: { prompt_tokens: 9, completion_tokens: 4 } }),
  'data: [DONE]\n\n',
].join('')

const folder = () =>
  tempTree({
    'a.sse': stream,
    'bad-args.json': JSON.stringify({
      choices: [
        {
          message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":' } }] },
          finish_reason: 'length',
        },
      ],
    }),
    'refusal.json': JSON.stringify({ choices: [{ message: { refusal: 'No.' }, finish_reason: 'stop' }] }),
    'limit.json': '{"error":{"type":"rate_limit","message":"slow down"}}',
    'notes.txt': 'no recording',
  })

const run = (...args: string[]) => runCommand(decode, folder(), ['--api', 'openai-chat', ...args])

describe('decode', () => {
  it('prints what a stream comes to', async () => {
    const { code, lines } = await run('a.sse')

    expect(code).toBe(0)
    expect(lines).toEqual([
      {
        file: 'a.sse',
        text: 'Ünïcode 👋',
        reasoning: 'Which zone?',
        reasoningSignatures: [],
        redactedReasoningBlocks: 0,
        toolCalls: [{ id: 'call_1', name: 'now', args: { zone: 'UTC' }, argsValid: true, rawArgs: '{"zone":"UTC"}' }],
        refusal: null,
        finishReason: 'tool_use',
        rawFinishReason: 'tool_calls',
        usage: {
          inputTokensTotal: 9,
          inputTokensUncached: 9,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          outputTokens: 4,
          reasoningTokens: 0,
        },
        model: 'lark-2',
        error: null,
        truncated: false,
      },
    ])
  })

  it.each([['--chunk', '1'], ['--chunk', '3', '--crlf'], ['--crlf'], ['--profile', 'Open-Router']])(
    'prints the same with %s %s',
    async (...options) => {
      expect(await run(...options, 'a.sse')).toEqual(await run('a.sse'))
    },
  )

  it('ends a stream after some events: truncated, without its calls, until it is complete', async () => {
    const outcomes = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((events) => run('--cut', `${events}`, 'a.sse')))

    expect(outcomes.map(({ lines }) => lines[0]?.truncated)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(outcomes[4]?.lines[0]).toMatchObject({
      text: 'Ünïcode 👋',
      toolCalls: [],
      finishReason: null,
      error: { kind: 'truncated', retryable: true },
    })
  })

  it('takes the leading -- that pnpm passes on', async () => {
    const { lines } = await runCommand(decode, folder(), ['--', '--api', 'openai-chat', 'a.sse'])

    expect(lines).toMatchObject([{ file: 'a.sse', truncated: false }])
  })

  it('tells which calls have arguments that are no object', async () => {
    const { lines } = await run('bad-args.json')

    expect(lines).toMatchObject([
      { finishReason: 'length', toolCalls: [{ args: null, argsValid: false, rawArgs: '{"a":' }] },
    ])
  })

  it('keeps a refusal apart', async () => {
    expect((await run('refusal.json')).lines).toMatchObject([{ text: '', refusal: 'No.', finishReason: 'stop' }])
  })

  it('decodes the body of a failed response by its status', async () => {
    const { code, lines } = await run('--status', '429', 'limit.json')

    expect(code).toBe(0)
    expect(lines).toMatchObject([
      {
        finishReason: null,
        error: {
          kind: 'rate_limited',
          type: 'rate_limit',
          code: null,
          message: 'slow down',
          status: 429,
          retryable: true,
        },
      },
    ])
  })

  it('gives a file that cannot be read a line with an error, and goes on', async () => {
    const { code, lines } = await run('gone.json', 'refusal.json')

    expect(code).toBe(1)
    expect(lines).toMatchObject([
      { file: 'gone.json', error: { kind: 'unreadable', message: 'cannot be read (ENOENT)' } },
      { file: 'refusal.json', refusal: 'No.' },
    ])
  })

  it.each([
    [['a.sse'], '--api is missing'],
    [['--api', 'constructor', 'a.sse'], '--api "constructor" is not known: give anthropic-messages, openai-chat'],
    [['--api', 'openai-chat'], 'no FILE is given'],
    [['--api', 'openai-chat', '--profile', 'acme', 'a.sse'], '--profile "acme" is not known: give openai'],
    [['--api', 'openai-chat', '--chunk', '0', 'a.sse'], '--chunk "0"'],
    [['--api', 'openai-chat', '--cut', '-1', 'a.sse'], "--cut'"],
    [['--api', 'openai-chat', '--cut=1.5', 'a.sse'], '--cut "1.5"'],
    [['--api', 'openai-chat', '--status', '20', 'a.sse'], '--status "20"'],
    [['--api', 'openai-chat', '--loud', 'a.sse'], '--loud'],
    [['--api', 'openai-chat', 'notes.txt'], 'notes.txt: give files that end in .sse, .bin or .json'],
    [['--api', 'openai-chat', 'a.bin'], 'a.bin: streams of openai-chat end in .sse'],
    [['--api', 'bedrock-converse', 'a.sse'], 'a.sse: streams of bedrock-converse end in .bin'],
  ])('refuses %j before it prints anything', async (args, message) => {
    await expect(runCommand(decode, folder(), args)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    })
  })

  it.each(['anthropic-messages', 'openai-responses', 'gemini'])(
    'knows %s, whose streams are cut at once',
    async (api) => {
      const { lines } = await runCommand(decode, folder(), ['--api', api, '--cut', '0', 'a.sse'])

      expect(lines).toMatchObject([{ truncated: true }])
    },
  )
})
