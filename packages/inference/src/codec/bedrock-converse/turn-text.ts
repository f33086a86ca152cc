import type { Placed, Turn } from '../anthropic-messages/arrange-turns.ts'
import { withComma } from '../conversation/growing-text.ts'

/**
 * Gives the messages of one turn. A user must speak first, and never in one message with results, nor right after them;
 * where no message of the history stands between, one of ours does.
 *
 * @param at - the place of the turn in the conversation.
 * @param pointAfter - gives the part that follows a message, or an empty text.
 */
export function turnText(
  { role, results, others }: Turn,
  at: number,
  pieces: readonly Placed[],
  pointAfter: (index: number) => string,
): string {
  const before = at === 0 && role === 'assistant' ? opening : ''
  const between = results.length > 0 && others.length > 0 ? separator : ''
  const texts = withComma(before, messageText(role, results, pieces, pointAfter))
  return withComma(withComma(texts, between), messageText(role, others, pieces, pointAfter))
}

/** Every message of every request passes here, so it makes one text and no list. */
function messageText(
  role: Turn['role'],
  indexes: readonly number[],
  pieces: readonly Placed[],
  pointAfter: (index: number) => string,
): string {
  let content = ''
  for (const index of indexes) content = withComma(withComma(content, pieces[index]?.parts ?? ''), pointAfter(index))
  return content === '' ? '' : `{"role":"${role}","content":[${content}]}`
}

const opening = '{"role":"user","content":[{"text":"[The conversation so far begins with your answer.]"}]}'

const separator =
  '{"role":"assistant","content":[{"text":"[I have the tool results. The next message is not one of them.]"}]}'
