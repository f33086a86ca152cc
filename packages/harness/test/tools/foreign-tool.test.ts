import type { Tool, ToolDefinition } from '@looprig/tools'
import { textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { calling, effectTool, openSession, requirement, resultsOf, resultTexts } from '../session/open-session.ts'

/** A tool that was not made by `defineTool`, as sound as the test leaves it. */
function foreignTool(parts: { readonly [K in keyof Tool]?: unknown }): ToolDefinition {
  const schemaDigest = '0'.repeat(64)
  const sound: Tool = {
    info: { name: 'foreign', description: 'Foreign.', inputSchema: { type: 'object' }, schemaDigest },
    replaySafe: false,
    sequential: false,
    prepareCall: async () => ({
      request: { toolName: 'foreign', summary: 'act', requirements: [requirement('it')] },
      artifact: { n: 1 },
    }),
    invoke: async () => textResult('ran'),
    writeTarget: () => undefined,
    auditSummary: () => 'foreign',
  }
  return {
    name: 'foreign',
    requires: [],
    produces: [{ name: 'foreign', schemaDigest }],
    build: async () => [{ ...sound, ...parts } as Tool],
  }
}

async function callForeign(parts: Parameters<typeof foreignTool>[0]) {
  const ran: string[] = []
  const sibling = effectTool('sibling', (value) => void ran.push(value))
  const responses = [calling({ name: 'foreign' }, { name: 'sibling' }), { text: 'ok' }]
  const opened = await openSession({ responses, tools: [foreignTool(parts), sibling] })
  const result = await opened.session.submit('Go').result()
  return {
    ...opened,
    result,
    ran,
    texts: resultTexts(opened.session.history()),
    results: resultsOf(opened.session.history()),
  }
}

const throwing = () => {
  throw new Error('sentinel')
}

describe('a tool that breaks its contract', () => {
  it('runs as any other while it keeps it', async () => {
    const { texts } = await callForeign({})

    expect(texts).toEqual(['ran', 'sibling did x'])
  })

  it.each([
    ['prepareCall throws at once', { prepareCall: throwing }],
    ['prepareCall gives nothing', { prepareCall: async () => undefined }],
    ['prepareCall gives no request', { prepareCall: async () => ({ artifact: 1 }) }],
    ['prepareCall gives no promise', { prepareCall: () => 'garbage' }],
    [
      'the request is not valid',
      { prepareCall: async () => ({ request: { toolName: ' ', summary: '', requirements: [] }, artifact: 1 }) },
    ],
    [
      'the artifact is missing',
      { prepareCall: async () => ({ request: { toolName: 'foreign', summary: 's', requirements: [] } }) },
    ],
    [
      'the artifact is a function',
      {
        prepareCall: async () => ({
          request: { toolName: 'foreign', summary: 's', requirements: [] },
          artifact: () => 1,
        }),
      },
    ],
    ['writeTarget throws', { writeTarget: throwing }],
    ['writeTarget gives an object', { writeTarget: () => ({}) }],
    ['auditSummary throws', { auditSummary: throwing }],
  ])('fails alone when %s', async (_name, parts) => {
    const { result, texts, results, ran, session } = await callForeign(parts)

    expect(result).toMatchObject({ status: 'done', text: 'ok' })
    expect(results.map((message) => message.isError)).toEqual([true, false])
    expect(texts[0]).toBe('the tool failed')
    expect(ran).toEqual(['x'])
    expect(session.fault).toBeUndefined()
  })

  it.each([
    ['throws at once', throwing],
    ['rejects', () => Promise.reject(new Error('sentinel'))],
  ])('has a failed result when invoke %s', async (_name, invoke) => {
    const { result, texts, results } = await callForeign({ invoke })

    expect(result.status).toBe('done')
    expect(results[0]?.isError).toBe(true)
    expect(texts).toEqual(['the tool failed', 'sibling did x'])
  })

  it('is told by one bounded line', async () => {
    const { recording } = await callForeign({ auditSummary: () => '\ud83d'.repeat(10_000) })
    await recording.waitFor('SessionIdle')

    const [started] = recording.events('ToolCallStarted')
    expect(started?.summary.isWellFormed()).toBe(true)
    expect(started?.summary.length).toBeLessThanOrEqual(1_024)
  })
})
