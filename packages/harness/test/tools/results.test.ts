import { type Block, byteLength } from '@looprig/core'
import { defineTool, errorResult, ToolError, type ToolResult, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, openSession, resultsOf, resultTexts } from '../session/open-session.ts'

/** Runs one call of a tool that does what the test says, and gives its result as history has it. */
async function resultOf(run: () => unknown, resultBytes?: number) {
  const tool = defineTool({
    name: 'act',
    description: 'Does what the test says.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: async () => (await run()) as ToolResult,
  })
  const opened = await openSession({
    responses: [calling({ name: 'act' }), { text: 'ok' }],
    tools: [tool],
    limits: { resultBytes },
  })
  const outcome = await opened.session.submit('Go').result()
  const completed = await opened.recording.waitFor('ToolCallCompleted')
  const history = opened.session.history()
  const [message] = resultsOf(history)
  return { outcome, completed, message, text: resultTexts(history)[0] ?? '', requests: opened.requests }
}

const blocks = (...content: unknown[]) => ({ content, isError: false })

describe('shapeResult', () => {
  it('tells nothing of an error that a tool threw', async () => {
    const { message, text, completed, outcome } = await resultOf(() => {
      throw new Error('sentinel: ENOENT /etc/secret')
    })

    expect(outcome.status).toBe('done')
    expect(message?.isError).toBe(true)
    expect(text).toBe('the tool failed')
    expect(JSON.stringify([completed, outcome])).not.toMatch(/sentinel|secret/)
  })

  it.each([
    ['a text', 'boom'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { message: 'boom' }],
  ])('takes %s that a tool threw as a failure', async (_name, thrown) => {
    const { message, text } = await resultOf(() => Promise.reject(thrown))

    expect(message?.isError).toBe(true)
    expect(text).toBe('the tool failed')
  })

  it('shows the model the message of a ToolError', async () => {
    const { message, text, completed } = await resultOf(() => {
      throw new ToolError('not_found', 'there is no such file')
    })

    expect(message?.isError).toBe(true)
    expect(text).toBe('there is no such file')
    expect(completed).toMatchObject({ isError: true, code: 'not_found', resultPreview: 'there is no such file' })
  })

  it('keeps the error that a tool returned', async () => {
    const { message, completed } = await resultOf(() => errorResult('busy', 'try later', { details: { hidden: 1 } }))

    expect(message).toMatchObject({ isError: true, blocks: [{ type: 'text', text: 'try later' }] })
    expect(message).not.toHaveProperty('details')
    expect(completed.code).toBe('busy')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['no block', { content: [], isError: false }],
  ])('makes an error of %s', async (_name, returned) => {
    const { message, text, completed } = await resultOf(() => returned)

    expect(message?.isError).toBe(true)
    expect(text).toBe('error: empty result')
    expect(completed.code).toBe('empty_result')
  })

  it('names a success without text as empty, since providers refuse empty texts', async () => {
    const { message, text } = await resultOf(() => textResult(''))

    expect(message?.isError).toBe(false)
    expect(text).toBe('[empty result]')
  })

  it.each([
    ['a text', 'just text'],
    ['a number', 7],
    ['content that is a text', { content: 'text', isError: false }],
    ['a block of an unknown type', blocks({ type: 'video', url: 'x' })],
    ['a text block without text', blocks({ type: 'text' })],
    ['a null block', blocks(null)],
    [
      'an accessor that throws',
      {
        isError: false,
        get content() {
          throw new Error('sentinel')
        },
      },
    ],
  ])('makes an error of garbage: %s', async (_name, returned) => {
    const { message, text, outcome } = await resultOf(() => returned)

    expect(outcome.status).toBe('done')
    expect(message?.isError).toBe(true)
    expect(text).toBe('error: the tool returned no valid content')
  })

  it('survives nesting without end', async () => {
    const { message, outcome } = await resultOf(() => {
      let content: unknown[] = [{ type: 'text', text: 'deep' }]
      for (let depth = 0; depth < 20_000; depth += 1)
        content = [{ type: 'tool_result', toolUseId: 'x', content, isError: false }]
      return blocks(...content)
    })

    expect(outcome.status).toBe('done')
    expect(message?.blocks).toHaveLength(1)
  })

  it('opens nested results, and names what a result cannot hold', async () => {
    const { message } = await resultOf(() =>
      blocks(
        { type: 'tool_result', toolUseId: 'x', content: [{ type: 'text', text: 'inner' }], isError: false },
        { type: 'tool_use', id: 'y', name: 'evil', input: {} },
      ),
    )

    expect(message?.blocks).toEqual([
      { type: 'text', text: 'inner' },
      { type: 'text', text: '[unsupported tool_use]' },
    ])
  })

  it('keeps nothing of a block but what is of its kind', async () => {
    const { message, outcome } = await resultOf(() =>
      blocks(
        { type: 'text', text: 'a', big: 10n },
        { type: 'image', mediaType: 'image/png', data: 'AAAA', name: 'p', junk: 'x'.repeat(20_000_000) },
      ),
    )

    expect(outcome.status).toBe('done')
    expect(message?.blocks).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA', name: 'p' },
    ])
  })

  it.each([{}, { data: 'AAAA', url: 'https://example.com/p.png' }])(
    'names a picture that is none: %j',
    async (picture) => {
      const { message } = await resultOf(() => blocks({ type: 'image', mediaType: 'image/png', ...picture }))

      expect(message?.blocks).toEqual([{ type: 'text', text: '[invalid image]' }])
    },
  )
})

describe('limitBlocks', () => {
  it('keeps head and tail of 5 MB of text around a notice with the sizes', async () => {
    const { text } = await resultOf(() => textResult(`HEAD${'x'.repeat(5_000_000)}TAIL`))

    expect(byteLength(text)).toBeLessThanOrEqual(512 * 1024)
    expect(text).toMatch(/^HEADx+\n\[tool output truncated: omitted \d+ of 5000008 bytes\]\nx+TAIL$/)
  })

  it('never cuts an emoji in half, wherever the limit falls', async () => {
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const { text } = await resultOf(() => textResult(shift + '😀'.repeat(1_000)), 999)

      expect(text.isWellFormed()).toBe(true)
      expect(byteLength(text)).toBeLessThanOrEqual(999)
    }
  })

  it.each(['\ud83d', 'cut \ud83d', '\ude00 tail'])('makes %j well formed', async (broken) => {
    const { text, requests } = await resultOf(() => textResult(broken))

    expect(text).toBe(broken.toWellFormed())
    expect(JSON.stringify(requests[1]?.messages)).not.toMatch(/\\ud83d|\\ude00/)
  })

  it('passes a picture on', async () => {
    const { message } = await resultOf(() => blocks({ type: 'image', mediaType: 'image/png', data: 'iVBO' }))

    expect(message?.blocks).toEqual([{ type: 'image', mediaType: 'image/png', data: 'iVBO' }])
  })

  it('leaves pictures that do not fit out whole, and keeps the text after them', async () => {
    const picture = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(200_000) }
    const { message } = await resultOf(() => blocks(...Array(20).fill(picture), { type: 'text', text: 'caption' }))

    const shown = message?.blocks.map((block: Block) => (block.type === 'text' ? block.text : block.type)) ?? []
    expect(shown.slice(0, 3)).toEqual(['image', 'image', expect.stringMatching(/^\[image of \d+ bytes left out/)])
    expect(shown.at(-1)).toBe('caption')
    expect(shown).toHaveLength(21)
  })

  it('names in one line what comes after the limit', async () => {
    const parts = Array.from({ length: 5_000 }, () => ({ type: 'text', text: 'y'.repeat(100) }))
    const { message } = await resultOf(() => blocks(...parts), 10_000)

    expect(message?.blocks.at(-1)).toEqual({ type: 'text', text: expect.stringMatching(/^\[\d+ more parts left out/) })
    expect(JSON.stringify(message).length).toBeLessThan(20_000)
  })

  it('holds what control characters take in the journal, not only in memory', async () => {
    const { outcome, message } = await resultOf(() => textResult('\u0001'.repeat(2_000_000)))

    expect(outcome.status).toBe('done')
    expect(JSON.stringify(message).length).toBeLessThanOrEqual(512 * 1024 + 200)
  })
})

describe('previewResult', () => {
  it('shows at most 20 lines and 2 KiB', async () => {
    const lines = await resultOf(() => textResult('line\n'.repeat(50)))
    const long = await resultOf(() => textResult('é'.repeat(5_000)))

    expect(lines.completed.resultPreview.split('\n')).toHaveLength(21)
    expect(byteLength(long.completed.resultPreview)).toBeLessThan(2_100)
    expect(long.completed.resultPreview).toMatch(/^é+\n… \[truncated\]$/)
  })
})
