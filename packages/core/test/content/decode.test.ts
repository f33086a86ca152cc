import {
  ContentError,
  decodeBlocks,
  decodeMessage,
  decodeMessages,
  maxBlockCharacters,
  maxBlocks,
  parseJson,
  textBlock,
} from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

const sentinel = 'sentinel-2f61'

function errorOf(act: () => unknown): ContentError {
  try {
    act()
  } catch (error) {
    if (error instanceof ContentError) return error
    throw error
  }
  throw new Error('expected a ContentError')
}

/** A text block whose JSON has this many characters. */
const textOfSize = (characters: number) => textBlock('x'.repeat(characters - '{"type":"text","text":""}'.length))

describe('decodeMessages', () => {
  it('reads any legal history as it was written', () => {
    fc.assert(
      fc.property(arbitraries.transcript(), (messages) => {
        const json = JSON.stringify(messages)

        expect(JSON.stringify(decodeMessages(parseJson(json)))).toBe(json)
      }),
    )
  })

  it.each<[string, unknown, string, string]>([
    ['no list', {}, 'content_invalid', 'messages'],
    ['an unknown role', [{ role: sentinel, blocks: [] }], 'content_invalid', 'messages[0].role'],
    [
      'an unknown block',
      [
        { role: 'user', blocks: [] },
        { role: 'user', blocks: [{ type: sentinel }] },
      ],
      'content_invalid',
      'messages[1].blocks[0].type',
    ],
    [
      'a picture with both data and url',
      [
        {
          role: 'user',
          blocks: [{ type: 'image', mediaType: 'image/png', data: 'aGk=', url: `https://x/${sentinel}` }],
        },
      ],
      'content_invalid',
      'messages[0].blocks[0].data',
    ],
    [
      'a picture in a result that is no base64',
      [
        {
          role: 'user',
          blocks: [
            {
              type: 'tool_result',
              toolUseId: 'x',
              isError: false,
              content: [{ type: 'image', mediaType: 'image/png', data: `${sentinel}!` }],
            },
          ],
        },
      ],
      'content_invalid',
      'messages[0].blocks[0].content[0].data',
    ],
  ])('refuses %s, naming its place and quoting nothing', (_what, value, code, field) => {
    const error = errorOf(() => decodeMessages(value))

    expect(error).toMatchObject({ code, field })
    expect(error.message).not.toContain(sentinel)
  })

  it('throws nothing but its own error, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything()), (value, blocks) => {
        for (const given of [value, [value], [{ role: 'user', blocks }], [{ role: 'tool', blocks }]]) {
          try {
            decodeMessages(given)
          } catch (error) {
            expect(error).toBeInstanceOf(ContentError)
          }
        }
      }),
    )
  })
})

describe('decodeBlocks', () => {
  it('takes a block at the cap and refuses one of a character more', () => {
    const fitting = textOfSize(maxBlockCharacters)
    const error = errorOf(() => decodeBlocks([textBlock('a'), textOfSize(maxBlockCharacters + 1)]))

    expect(decodeBlocks([fitting])).toEqual([fitting])
    expect(error).toMatchObject({ code: 'content_too_large', field: 'blocks[1]' })
  })

  it('refuses a block of 9 MiB, also one that is large only as JSON or in its nested parts', () => {
    const large = 'x'.repeat(9 * 1024 * 1024)
    const escaped = '\u0001'.repeat(2 * 1024 * 1024)
    const halves = 'x'.repeat(5 * 1024 * 1024)
    const content = [textBlock(halves), textBlock(halves)]

    for (const block of [
      textBlock(large),
      textBlock(escaped),
      { type: 'image', mediaType: 'image/png', data: large },
      { type: 'tool_use', id: 'x', name: 'f', input: { large } },
      { type: 'text', text: '', state: { format: 'x', data: large } },
      { type: 'tool_result', toolUseId: 'x', isError: false, content },
    ]) {
      expect(errorOf(() => decodeBlocks([block]))).toMatchObject({ code: 'content_too_large', field: 'blocks[0]' })
    }
  })

  it('refuses 10,001 blocks', () => {
    const error = errorOf(() => decodeBlocks(Array.from({ length: maxBlocks + 1 }, () => textBlock('x'))))

    expect(error).toMatchObject({ code: 'content_too_large', field: 'blocks' })
  })

  it('refuses results nested without end', () => {
    let block: unknown = textBlock('deep')
    for (let level = 0; level < 20_000; level += 1) {
      block = { type: 'tool_result', toolUseId: 'x', isError: false, content: [block] }
    }

    expect(errorOf(() => decodeBlocks([block])).code).toBe('content_invalid')
  })
})

describe('decodeMessage', () => {
  it('names the place within the message', () => {
    const error = errorOf(() => decodeMessage({ role: 'assistant', blocks: [{ type: 'text' }] }))

    expect(error).toMatchObject({ code: 'content_invalid', field: 'message.blocks[0].text' })
  })
})

describe('parseJson', () => {
  it.each(['', '{"a":', `{"a":"${sentinel}`, 'undefined', '{"a":1e999}', '['.repeat(100_000)])(
    'refuses what is not JSON and quotes nothing of it: %#',
    (text) => {
      const error = errorOf(() => parseJson(text))

      expect(error).toMatchObject({ code: 'content_invalid', field: 'json' })
      expect(`${error.message} ${String(error.cause)}`).not.toContain(sentinel)
    },
  )

  it('refuses JSON that is nested too deep to be written again', () => {
    const text = `${'['.repeat(5_000)}${']'.repeat(5_000)}`

    expect(errorOf(() => parseJson(text)).code).toBe('content_invalid')
  })
})
