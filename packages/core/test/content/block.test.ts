import { type Block, textBlock, textOf } from '@looprig/core'
import { describe, expect, it } from 'vitest'

describe('textOf', () => {
  it('joins the text blocks and leaves everything else out', () => {
    const blocks: Block[] = [
      textBlock('a'),
      { type: 'refusal', text: 'no' },
      { type: 'thinking', text: 'hm' },
      { type: 'tool_use', id: '1', name: 'add', input: {} },
      textBlock('b'),
    ]

    const text = textOf(blocks)

    expect(text).toBe('ab')
  })

  it('is empty for no blocks', () => {
    expect(textOf([])).toBe('')
  })
})
