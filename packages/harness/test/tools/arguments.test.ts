import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answersOf, calling, openSession, resultsOf, resultTexts } from '../session/open-session.ts'

/** Tells its arguments, or that it has none. */
function echo(name = 'echo') {
  return defineTool({
    name,
    description: 'Tells its arguments.',
    pure: true,
    inputSchema: z.strictObject({ word: z.string().optional(), n: z.int().optional() }),
    run: (input) => textResult(`${name} ${JSON.stringify(input)}`),
  })
}

async function callEcho(rawInput: string) {
  const opened = await openSession({
    responses: [calling({ name: 'echo', rawInput }), { text: 'ok' }],
    tools: [echo()],
  })
  const result = await opened.session.submit('Go').result()
  return { ...opened, result, history: opened.session.history() }
}

describe('arguments of a call', () => {
  it.each([
    ['text that is no JSON', '{"word": nope'],
    ['an array', '["sentinel"]'],
    ['a number', '7'],
    ['nesting without end', `{"word":${'['.repeat(100_000)}`],
  ])('stores {} for %s, tells the model, and stays encodable', async (_name, rawInput) => {
    const { history, result, requests } = await callEcho(rawInput)

    expect(result.status).toBe('done')
    expect(answersOf(history)[0]?.blocks).toMatchObject([{ type: 'tool_use', name: 'echo', input: {} }])
    expect(resultsOf(history)).toMatchObject([{ isError: true }])
    expect(resultTexts(history)[0]).toMatch(/arguments are not/)
    expect(JSON.parse(JSON.stringify(requests[1]?.messages))).toEqual(history.slice(0, 3))
  })

  it('keeps the raw text of a malformed call for the executor alone', async () => {
    const { history, requests, recording } = await callEcho('{"word": sentinel')

    expect(JSON.stringify([history, requests])).not.toContain('sentinel')
    expect(
      recording
        .events('ToolInputDelta')
        .map((event) => event.text)
        .join(''),
    ).toBe('{"word": sentinel')
  })

  it('runs a malformed call never, even when {} would be valid', async () => {
    const { history } = await callEcho('nope')

    expect(resultTexts(history)[0]).not.toMatch(/^echo/)
  })

  it.each(['', '   ', '\n', '{}'])('takes %j as no arguments', async (rawInput) => {
    const { history } = await callEcho(rawInput)

    expect(resultTexts(history)).toEqual(['echo {}'])
  })

  it('names an unknown key and what was expected, never a value', async () => {
    const { history } = await callEcho('{"wrod":"sentinel-1","n":"sentinel-2"}')

    const [text] = resultTexts(history)
    expect(text).toMatch(/wrod/)
    expect(text).toMatch(/n: .*expected/)
    expect(text).not.toMatch(/sentinel/)
  })

  it('answers a call of an unknown tool with an error result and goes on', async () => {
    const responses = [calling({ id: 'c1', name: 'rm\u001b[31m' }), { text: 'sorry' }]
    const { session } = await openSession({ responses, tools: [echo()] })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'done', text: 'sorry' })
    expect(resultsOf(session.history())).toMatchObject([{ toolUseId: 'c1', isError: true }])
    expect(resultTexts(session.history())).toEqual(['error: unknown tool: rm [31m'])
  })

  it('lets the siblings of a refused call run', async () => {
    const responses = [calling({ name: 'echo', rawInput: '!' }, { name: 'none' }, { name: 'echo' }), { text: 'ok' }]
    const { session } = await openSession({ responses, tools: [echo()] })

    await session.submit('Go').result()

    expect(resultsOf(session.history()).map((result) => result.isError)).toEqual([true, true, false])
  })
})

describe('ids of calls', () => {
  it.each([
    ['repeated', 'x'],
    ['empty', ''],
  ])('makes %s ids unique and pairs each call with its result', async (_name, id) => {
    const calls = [1, 2, 3].map((n) => ({ id, name: 'echo', input: { n } }))
    const { session } = await openSession({ responses: [calling(...calls), { text: 'ok' }], tools: [echo()] })

    const result = await session.submit('Go').result()

    const asked = answersOf(session.history())[0]?.blocks.map((block) => (block.type === 'tool_use' ? block.id : ''))
    expect(result.status).toBe('done')
    expect(new Set(asked).size).toBe(3)
    expect(resultsOf(session.history()).map((message) => message.toolUseId)).toEqual(asked)
    expect(resultTexts(session.history())).toEqual(['echo {"n":1}', 'echo {"n":2}', 'echo {"n":3}'])
  })

  it('runs a call whose id an earlier turn had, with another tool', async () => {
    const responses = [
      calling({ id: 'call_0', name: 'first' }),
      { text: 'a' },
      calling({ id: 'call_0', name: 'second' }),
      { text: 'b' },
    ]
    const { session } = await openSession({ responses, tools: [echo('first'), echo('second')] })

    await session.submit('1').result()
    await session.submit('2').result()

    expect(resultTexts(session.history())).toEqual(['first {}', 'second {}'])
  })

  it('gives every execution an id of its own that is not the model’s', async () => {
    const responses = [calling({ id: 'a', name: 'echo' }, { id: 'a', name: 'echo' }), { text: 'ok' }]
    const { session, recording } = await openSession({ responses, tools: [echo()] })

    await session.submit('Go').result()
    await recording.waitFor('SessionIdle')

    const started = recording.events('ToolCallStarted')
    expect(started.map((event) => event.toolUseId)).toEqual(['a', 'a-2'])
    expect(new Set(started.map((event) => event.toolExecutionId)).size).toBe(2)
  })
})
