import { headWithin } from '@looprig/core'
import { defineTool } from '../contract/define-tool.ts'
import type { ToolDefinition } from '../contract/definition.ts'
import { isAnswerTo } from '../contract/question.ts'
import { errorResult, textResult } from '../contract/result.ts'
import { askUserInput } from './ask-user-arguments.ts'

/**
 * Why AskUser gave an error result. The contract adds its own codes, among them `unavailable`: nobody can be asked.
 *
 * - `answer_invalid`: the answer is none of the choices.
 * - `timed_out`: nobody answered in the time that the gate gives.
 */
export type AskUserCode = (typeof askUserCodes)[number]

/** The closed set of codes of AskUser, as values. */
export const askUserCodes = Object.freeze(['answer_invalid', 'timed_out'] as const)

const description =
  'Ask the person one question and wait for the answer. Use it where only the person can decide; do not ask for what ' +
  'you can find out. With choices, the answer is one of them, or `other`.'

/** The most bytes of a question in one line. */
const maxLineBytes = 200

/**
 * The tool `AskUser`: one question to the person, whose answer is the result. It needs no access. Within a session the
 * question is a gate: it outlives the process, and any process may answer it. Where nobody can be asked, the result is
 * `unavailable`, at once.
 */
export function askUserDefinition(): ToolDefinition<readonly []> {
  return defineTool({
    name: 'AskUser',
    description,
    inputSchema: askUserInput,
    sequential: true,
    prepare: ({ question, choices = [] }) => {
      const asked = { text: question, ...(choices.length === 0 ? {} : { choices }) }
      return { summary: `ask: ${oneLine(question)}`, artifact: asked, requirements: [], question: asked }
    },
    // within a session the answer comes from the gate, and this never runs
    run: async (question, { requestUserInput }) => {
      if (requestUserInput === undefined) {
        return errorResult('unavailable', 'unavailable: nobody is there to answer; go on without the answer')
      }
      const answer = await requestUserInput(question)
      if (isAnswerTo(question, answer)) return textResult(answer)
      const allowed =
        question.choices === undefined ? 'a text of at most 64 KiB' : [...question.choices, 'other'].join(', ')
      return errorResult('answer_invalid', `the answer is not valid; expected: ${allowed}`)
    },
    auditSummary: ({ text }) => `AskUser: ${oneLine(text)}`,
  })
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const head = headWithin(line, maxLineBytes)
  return head === line ? line : `${head}…`
}
