import { byteLength } from '@looprig/core'
import { RequestValidationError } from './errors.ts'

/** A question of a tool to the person who is there. */
export interface UserQuestion {
  /** Not blank; at most 4 KiB. */
  readonly text: string
  /**
   * At most 32, no two equal, none blank, each at most 256 bytes. With choices the answer is one of them, letter for
   * letter, or `other`; without, any text.
   */
  readonly choices?: readonly string[] | undefined
}

/** The answer that is always taken where a question has choices. */
const otherAnswer = 'other'

const maxTextBytes = 4_096
const maxChoices = 32
const maxChoiceBytes = 256
const maxAnswerBytes = 65_536

/**
 * Checks a question before anybody sees it.
 *
 * @throws RequestValidationError `field_invalid` naming the part at fault; never its value.
 */
export function validateQuestion(question: UserQuestion): void {
  checkShown(question.text, maxTextBytes, 'question.text')
  const choices = question.choices ?? []
  if (!Array.isArray(choices) || choices.length > maxChoices) {
    throw new RequestValidationError('field_invalid', 'question.choices')
  }
  const seen = new Set<string>()
  for (const [index, choice] of choices.entries()) {
    const field = `question.choices[${index}]`
    checkShown(choice, maxChoiceBytes, field)
    if (seen.has(choice)) throw new RequestValidationError('field_invalid', field)
    seen.add(choice)
  }
}

/** Says whether a text answers a question: at most 64 KiB, and one of the choices or `other` where there are any. */
export function isAnswerTo({ choices = [] }: UserQuestion, answer: string): boolean {
  if (typeof answer !== 'string' || byteLength(answer) > maxAnswerBytes) return false
  return choices.length === 0 || answer === otherAnswer || choices.includes(answer)
}

function checkShown(text: unknown, maxBytes: number, field: string): void {
  const isShown =
    typeof text === 'string' &&
    text.trim() !== '' &&
    text.isWellFormed() &&
    !text.includes('\0') &&
    byteLength(text) <= maxBytes
  if (!isShown) throw new RequestValidationError('field_invalid', field)
}
