import { byteLength } from '@looprig/core'
import { z } from 'zod'

/** Bounds of a question: a person reads it whole. */
const maxQuestionBytes = 2_048
const maxChoices = 16
const maxChoiceBytes = 200

/** Control characters, and those that turn the direction of reading: what a person sees must be what is asked. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const unseenInLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

const choice = z
  .string()
  .refine((text) => text.trim() !== '', 'expected text that is not blank')
  .refine((text) => text.trim() === text, 'expected no white space around it')
  .refine((text) => byteLength(text) <= maxChoiceBytes, `expected at most ${maxChoiceBytes} bytes`)
  .refine((text) => text.isWellFormed() && !unseenInLine.test(text), 'expected one line without control characters')

/** What AskUser takes from a model. */
export const askUserInput = z.strictObject({
  question: z
    .string()
    .refine((text) => text.trim() !== '', 'expected text that is not blank')
    .refine((text) => byteLength(text) <= maxQuestionBytes, `expected at most ${maxQuestionBytes} bytes`)
    .refine((text) => text.isWellFormed() && !unseen.test(text), 'expected text without control characters')
    .describe('The question, as the person reads it. At most 2 KiB.'),
  choices: z
    .array(choice)
    .max(maxChoices)
    .refine((choices) => new Set(choices).size === choices.length, 'expected no two equal choices')
    .optional()
    .describe('The answers to choose from, at most 16. Default: any text is an answer.'),
})
