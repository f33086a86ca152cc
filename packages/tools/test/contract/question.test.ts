import {
  type CallContext,
  defineTool,
  isAnswerTo,
  type Preparation,
  RequestValidationError,
  textResult,
  type UserQuestion,
  validateQuestion,
} from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildTool, invokePrepared, newContext, textOfResult } from '../support/call-tool.ts'

/** A tool whose preparation adds `more`, and whose run tells what it was given. */
function asking(more: Partial<Preparation>, seen: (context: CallContext) => void = () => undefined) {
  return defineTool({
    name: 'ask',
    description: 'Ask.',
    inputSchema: z.strictObject({}),
    prepare: (_input, context) => {
      seen(context)
      return { summary: 'ask', artifact: null, requirements: [], ...more }
    },
    run: async (_artifact, context) => {
      seen(context)
      return textResult((await context.requestUserInput?.({ text: 'Which?' })) ?? 'nobody')
    },
  })
}

describe('a question', () => {
  it('goes out of prepare as a frozen copy', async () => {
    const question = { text: 'Which one?', choices: ['a', 'b'] }
    const tool = await buildTool(asking({ question }), '/')

    const prepared = await tool.prepareCall(newContext(), '{}')
    question.choices.push('c')

    expect(prepared.question).toEqual({ text: 'Which one?', choices: ['a', 'b'] })
    expect(Object.isFrozen(prepared.question?.choices)).toBe(true)
  })

  it.each<[string, unknown, string]>([
    ['a blank text', { text: ' \n' }, 'question.text'],
    ['a text of more than 4 KiB', { text: 'x'.repeat(4_097) }, 'question.text'],
    ['half of a surrogate pair', { text: 'a\ud83d' }, 'question.text'],
    ['a NUL', { text: 'a\0' }, 'question.text'],
    ['choices that are no list', { text: 'a', choices: 'ab' }, 'question.choices'],
    ['33 choices', { text: 'a', choices: Array.from({ length: 33 }, (_, index) => `c${index}`) }, 'question.choices'],
    ['a choice twice', { text: 'a', choices: ['x', 'y', 'x'] }, 'question.choices[2]'],
    ['a blank choice', { text: 'a', choices: ['x', ' '] }, 'question.choices[1]'],
    ['a choice of more than 256 bytes', { text: 'a', choices: ['ä'.repeat(129)] }, 'question.choices[0]'],
    ['a choice that is no text', { text: 'a', choices: [1] }, 'question.choices[0]'],
  ])('is refused with %s', (_name, question, field) => {
    const check = () => validateQuestion(question as UserQuestion)

    expect(check).toThrow(RequestValidationError)
    expect(check).toThrow(field)
  })

  it('is answered by one of its choices, letter for letter, or by `other`', () => {
    const question = { text: 'Which?', choices: ['Yes', 'No'] }

    expect(['Yes', 'No', 'other', 'yes', 'No ', ''].map((answer) => isAnswerTo(question, answer))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('is answered by any text of at most 64 KiB when it has no choices', () => {
    const answers = ['', 'anything', 'x'.repeat(65_536), 'x'.repeat(65_537)]

    expect(answers.map((answer) => isAnswerTo({ text: 'Which?' }, answer))).toEqual([true, true, true, false])
    expect(isAnswerTo({ text: 'Which?' }, 7 as unknown as string)).toBe(false)
  })
})

describe('what a call may use of its runtime', () => {
  it('reaches run and never prepare', async () => {
    const seen: boolean[] = []
    const tool = await buildTool(
      asking({}, (context) => seen.push('requestUserInput' in context, 'progress' in context)),
      '/',
    )
    const context = { ...newContext(), requestUserInput: async () => 'blue', progress: () => undefined }

    const result = await invokePrepared(tool, context, await tool.prepareCall(context, '{}'))

    expect(seen).toEqual([false, false, true, true])
    expect(textOfResult(result)).toBe('blue')
  })

  it('is absent in run where the runtime has none', async () => {
    const seen: boolean[] = []
    const tool = await buildTool(
      asking({}, (context) => seen.push('requestUserInput' in context)),
      '/',
    )

    const context = newContext()
    const result = await invokePrepared(tool, context, await tool.prepareCall(context, '{}'))

    expect(seen).toEqual([false, false])
    expect(textOfResult(result)).toBe('nobody')
  })
})
