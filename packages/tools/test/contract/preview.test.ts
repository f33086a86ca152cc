import {
  boundPreview,
  DefinitionBuildError,
  defineTool,
  type Preview,
  RequestValidationError,
  textResult,
} from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildTool, newContext } from '../support/call-tool.ts'

const spec = {
  name: 'write',
  description: 'Write.',
  inputSchema: z.strictObject({}),
  run: () => textResult(''),
}

describe('a preview', () => {
  it('goes out of prepare as a frozen copy, beside the request and not in it', async () => {
    const preview = { kind: 'diff' as const, text: '+a' }
    const prepare = () => ({ summary: 's', artifact: null, requirements: [], preview })
    const tool = await buildTool(defineTool({ ...spec, prepare }), '/')

    const prepared = await tool.prepareCall(newContext(), '{}')
    preview.text = '+b'

    expect(prepared.preview).toEqual({ kind: 'diff', text: '+a' })
    expect(prepared.request).not.toHaveProperty('preview')
    expect(Object.isFrozen(prepared.preview)).toBe(true)
  })

  it('keeps 16 KiB of a longer text, cut at a character, and says so', () => {
    const { text, truncated } = boundPreview({ kind: 'text', text: `x${'ä'.repeat(16_384)}` })

    expect(text).toBe(`x${'ä'.repeat(8_191)}`)
    expect(truncated).toBe(true)
    expect(boundPreview({ kind: 'text', text: 'x'.repeat(16_384) })).not.toHaveProperty('truncated')
  })

  it.each([
    ['another kind', { kind: 'html', text: '' }, 'preview.kind'],
    ['no text', { kind: 'text' }, 'preview.text'],
    ['half of a surrogate pair', { kind: 'text', text: '\ud83d' }, 'preview.text'],
  ])('is refused with %s', (_name, preview, field) => {
    expect(() => boundPreview(preview as Preview)).toThrow(RequestValidationError)
    expect(() => boundPreview(preview as Preview)).toThrow(field)
  })
})

describe('the time limit of a tool', () => {
  it('is told by the built tool', async () => {
    const prepare = () => ({ summary: 's', artifact: null, requirements: [] })

    expect((await buildTool(defineTool({ ...spec, prepare, timeoutMs: 50 }), '/')).timeoutMs).toBe(50)
    expect((await buildTool(defineTool({ ...spec, prepare }), '/')).timeoutMs).toBeUndefined()
  })

  it.each([0, -1, 1.5, Number.NaN, 86_400_001, Number.POSITIVE_INFINITY])('cannot be %s', (timeoutMs) => {
    const prepare = () => ({ summary: 's', artifact: null, requirements: [] })

    expect(() => defineTool({ ...spec, prepare, timeoutMs })).toThrow(DefinitionBuildError)
  })
})
