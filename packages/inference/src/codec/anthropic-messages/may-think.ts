import type { Turn } from './arrange-turns.ts'

/**
 * Whether a model that thinks by budget may be asked to think now: it must have thought at the start of the message that
 * its next one goes on from.
 */
export function mayThink(
  turns: readonly Turn[],
  pieces: readonly { readonly startsWithThinking?: boolean }[],
): boolean {
  const last = turns.at(-1)
  const open = last?.role === 'assistant' ? last : (last?.results.length ?? 0) > 0 ? turns.at(-2) : undefined
  const first = open?.others[0]
  return first === undefined || pieces[first]?.startsWithThinking === true
}
