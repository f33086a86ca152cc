import type { JsonObject } from '@looprig/core'
import type { Tool, ToolDefinition } from '@looprig/tools'
import { askUserCodes, askUserDefinition } from '@looprig/tools/ask-user'
import { runToolConformance } from '@looprig/tools/testing'
import { describe, expect, it } from 'vitest'
import { buildTool, invokePrepared, newContext, textOfResult } from '../support/call-tool.ts'

/** AskUser in a runtime that hands the answer to the call itself. */
function answered(answer: string): ToolDefinition {
  const definition = askUserDefinition()
  const withAnswer = (tool: Tool): Tool => ({
    info: tool.info,
    replaySafe: tool.replaySafe,
    sequential: tool.sequential,
    prepareCall: (context, args) => tool.prepareCall(context, args),
    writeTarget: (artifact) => tool.writeTarget(artifact),
    auditSummary: (artifact) => tool.auditSummary(artifact),
    invoke: (context, args) => {
      const requestUserInput = () => (context.signal.aborted ? Promise.reject(new Error('x')) : Promise.resolve(answer))
      return tool.invoke({ ...context, requestUserInput }, args)
    },
  })
  return { ...definition, build: async (bindings) => (await definition.build(bindings)).map(withAnswer) }
}

const args = { question: 'Which colour?', choices: ['red', 'blue'] }

runToolConformance(
  askUserDefinition(),
  [
    { name: 'a question that is answered', codes: askUserCodes, open: () => ({ args, definition: answered('blue') }) },
    { name: 'nobody there', codes: askUserCodes, fails: 'unavailable', open: () => ({ args }) },
    {
      name: 'an answer that is no choice',
      codes: askUserCodes,
      fails: 'answer_invalid',
      sentinels: ['SENTINEL'],
      open: () => ({ args, definition: answered('SENTINEL') }),
    },
  ],
  { describe, it },
)

async function prepare(given: JsonObject) {
  const tool = await buildTool(askUserDefinition(), '/')
  return { tool, prepared: await tool.prepareCall(newContext(), JSON.stringify(given)) }
}

/** The result of a question in a runtime that hands the answer to the call itself. */
async function resultOf(given: JsonObject, answer: string) {
  const tool = await buildTool(answered(answer), '/')
  const context = newContext()
  return invokePrepared(tool, context, await tool.prepareCall(context, JSON.stringify(given)))
}

describe('AskUser', () => {
  it('asks a question of its own, needs no access, and runs beside nothing', async () => {
    const { tool, prepared } = await prepare(args)

    expect(prepared.request).toEqual({ toolName: 'AskUser', summary: 'ask: Which colour?', requirements: [] })
    expect(prepared.question).toEqual({ text: 'Which colour?', choices: ['red', 'blue'] })
    expect(tool.sequential).toBe(true)
    expect(tool.auditSummary(prepared.artifact)).toBe('AskUser: Which colour?')
  })

  it('asks for any text where there are no choices', async () => {
    for (const given of [{ question: 'Why?' }, { question: 'Why?', choices: [] }]) {
      expect((await prepare(given)).prepared.question).toEqual({ text: 'Why?' })
    }
  })

  it('keeps the lines of a question, and tells logs one', async () => {
    const question = `First line\n\tsecond\n${'x'.repeat(500)}`

    const { tool, prepared } = await prepare({ question })

    expect(prepared.question?.text).toBe(question)
    expect(tool.auditSummary(prepared.artifact)).toMatch(/^AskUser: First line second x+…$/)
  })

  it.each<[string, JsonObject, string]>([
    ['a blank question', { question: ' \n ' }, 'question: expected text that is not blank'],
    ['a question of more than 2 KiB', { question: 'é'.repeat(1_025) }, 'question: expected at most 2048 bytes'],
    ['an escape', { question: 'a\u001b[2K' }, 'question: expected text without control characters'],
    ['a turn of direction', { question: 'a\u202eb' }, 'question: expected text without control characters'],
    ['half of a character', { question: 'a\ud83d' }, 'question: expected text without half of a character'],
    ['17 choices', { question: 'a', choices: Array.from({ length: 17 }, (_, index) => `c${index}`) }, 'choices: '],
    [
      'a choice of more than 200 bytes',
      { question: 'a', choices: ['é'.repeat(101)] },
      'choices.0: expected at most 200',
    ],
    ['a blank choice', { question: 'a', choices: ['x', ' '] }, 'choices.1: expected text that is not blank'],
    ['a choice with space around it', { question: 'a', choices: ['x '] }, 'choices.0: expected no white space'],
    ['a choice of two lines', { question: 'a', choices: ['x\ny'] }, 'choices.0: expected one line'],
    ['equal choices', { question: 'a', choices: ['x', 'y', 'x'] }, 'choices: expected no two equal choices'],
    ['choices that are no list', { question: 'a', choices: 'x' }, 'choices: '],
    ['a choice that is no text', { question: 'a', choices: [1] }, 'choices.0: '],
    ['no question', { choices: ['x'] }, 'question: '],
  ])('refuses %s before anybody is asked', async (_name, given, message) => {
    await expect(prepare(given)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['red', false],
    ['other', false],
    ['Red', true],
    ['', true],
    ['green', true],
  ])('takes the answer %j to its choices: error %s', async (answer, isError) => {
    const result = await resultOf(args, answer)

    expect([result.isError, textOfResult(result)]).toEqual([
      isError,
      isError ? 'the answer is not valid; expected: red, blue, other' : answer,
    ])
  })

  it('takes any text without choices', async () => {
    expect(textOfResult(await resultOf({ question: 'Why?' }, 'because\nof this'))).toBe('because\nof this')
    expect(await resultOf({ question: 'Why?' }, '')).toMatchObject({ isError: false })
  })

  it('is unavailable at once outside of a session', async () => {
    const { tool } = await prepare(args)
    const context = newContext()

    const result = await invokePrepared(tool, context, await tool.prepareCall(context, JSON.stringify(args)))

    expect(result).toMatchObject({ isError: true, code: 'unavailable' })
  })
})
