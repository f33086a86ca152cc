import { readFileSync } from 'node:fs'
import { textBlock } from '@looprig/core'
import {
  assistantMessage,
  blockEventsOf,
  errorResultMessage,
  finishOf,
  foldEvents,
  piecesOf,
  resultMessage,
  streamEventsOf,
  systemMessage,
  thinkingBlock,
  toolUseBlock,
  wholeBlocks,
} from '@looprig/core/testing'
import { describe, expect, it } from 'vitest'

describe('the builders', () => {
  it('make messages of texts and blocks', () => {
    expect(systemMessage('Be brief.')).toEqual({ role: 'system', blocks: [textBlock('Be brief.')] })
    expect(assistantMessage('a', thinkingBlock('b', 'x'), toolUseBlock('1', 'f', { n: 1 }))).toEqual({
      role: 'assistant',
      blocks: [
        textBlock('a'),
        { type: 'thinking', text: 'b', seal: { format: 'x', signature: 'seal of x' } },
        { type: 'tool_use', id: '1', name: 'f', input: { n: 1 } },
      ],
    })
    expect(resultMessage('1', 'ok')).toEqual({
      role: 'tool',
      toolUseId: '1',
      isError: false,
      blocks: [textBlock('ok')],
    })
    expect(errorResultMessage('1', 'no')).toMatchObject({ isError: true, blocks: [textBlock('no')] })
  })
})

describe('streamEventsOf', () => {
  it('cuts text where it is told to, in the middle of a pair too', () => {
    expect(streamEventsOf(assistantMessage('a👋'), { pieceLength: 2 })).toEqual([
      { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
      { type: 'text_delta', blockIndex: 0, text: 'a\ud83d' },
      { type: 'text_delta', blockIndex: 0, text: '\udc4b' },
      { type: 'block_end', blockIndex: 0 },
      { type: 'finish', reason: 'stop' },
    ])
  })

  it('ends with tool_use where there is a call, unless it is told otherwise', () => {
    const message = assistantMessage(toolUseBlock('1', 'f'))

    expect(finishOf(message)).toEqual({ type: 'finish', reason: 'tool_use' })
    expect(streamEventsOf(message, { reason: 'length' }).at(-1)).toEqual({ type: 'finish', reason: 'length' })
  })

  it('streams every kind of block that a response has', () => {
    for (const block of Object.values(wholeBlocks)) {
      if (block.type === 'tool_result') expect(() => blockEventsOf(block, 0)).toThrow('no response has a tool result')
      else expect(foldEvents(blockEventsOf(block, 7)).message.blocks).toEqual([block])
    }
  })
})

describe('piecesOf', () => {
  it('gives no piece for an empty text', () => {
    expect(piecesOf('', 3)).toEqual([])
    expect(piecesOf('abcd', 3)).toEqual(['abc', 'd'])
  })
})

describe('the door', () => {
  it('does not load fast-check: whoever wants generators brings it', () => {
    const sources = ['value', 'block', 'transcript', 'stream', 'content'].map((part) =>
      part === 'transcript' || part === 'stream' ? `${part}-arbitrary` : `${part}-arbitraries`,
    )
    for (const name of [...sources, 'illegal-transcript', 'fast-check']) {
      const source = readFileSync(new URL(`../../src/testing/${name}.ts`, import.meta.url), 'utf8')
      expect(source).not.toMatch(/^import (?!type).*'fast-check'/m)
    }
  })
})
