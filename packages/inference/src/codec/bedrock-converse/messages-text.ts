import type { Placed, Turn } from '../anthropic-messages/arrange-turns.ts'

/**
 * Joins the messages of a conversation. A user must speak first, and never in one message with results, nor right after
 * them; where no message of the history stands between, one of ours does.
 *
 * @param pointAfter - gives the part that follows a message, or an empty text.
 */
export function messagesText(
  turns: readonly Turn[],
  pieces: readonly Placed[],
  pointAfter: (index: number) => string,
): string {
  let texts = turns[0]?.role === 'assistant' ? opening : ''
  for (const { role, results, others } of turns) {
    texts = joined(texts, messageText(role, results, pieces, pointAfter))
    if (results.length > 0 && others.length > 0) texts = joined(texts, separator)
    texts = joined(texts, messageText(role, others, pieces, pointAfter))
  }
  return texts
}

/** Every message of every request passes here, so it makes one text and no list. */
function messageText(
  role: Turn['role'],
  indexes: readonly number[],
  pieces: readonly Placed[],
  pointAfter: (index: number) => string,
): string {
  let content = ''
  for (const index of indexes) content = joined(joined(content, pieces[index]?.parts ?? ''), pointAfter(index))
  return content === '' ? '' : `{"role":"${role}","content":[${content}]}`
}

function joined(before: string, after: string): string {
  if (before === '') return after
  return after === '' ? before : `${before},${after}`
}

const opening = '{"role":"user","content":[{"text":"[The conversation so far begins with your answer.]"}]}'

const separator =
  '{"role":"assistant","content":[{"text":"[I have the tool results. The next message is not one of them.]"}]}'
