import type { Message } from '@looprig/core'
import { unsupported } from '../failure/unsupported.ts'
import type { TranscriptChange, TranscriptChangeReason } from './transcript-change.ts'
import { TranscriptFold } from './transcript-fold.ts'
import type { TranscriptRules } from './transcript-rules.ts'

/** How a history is adapted. */
export interface AdaptTranscriptOptions {
  /**
   * Throws instead of making a change that takes something from the history. What is empty, and thinking that nobody has
   * sealed, is no loss: that is left out here too, and told. Default: false.
   */
  readonly strict?: boolean | undefined
}

/** A history that a target takes. */
export interface AdaptedTranscript {
  /** Messages that needed no change are the same objects, so a codec that has encoded one need not do so again. */
  readonly messages: readonly Message[]
  /** Everything that was done, in the order of its places in the history that was given; none when it was legal. */
  readonly changes: readonly TranscriptChange[]
}

/**
 * Makes a history legal for a target: that of another provider, one with open calls, or one that another program wrote.
 * Every text, call and result stays; what cannot go along is said in words or, as thinking that another provider has
 * sealed, left out. Nothing is done silently. Adapting the result again changes nothing.
 *
 * @param target - as `transcriptRules` gives it, or your own.
 * @throws InferenceError `unsupported` when `strict`: it names the place, the reason and the target.
 */
export function adaptTranscript(
  messages: readonly Message[],
  target: TranscriptRules,
  options: AdaptTranscriptOptions = {},
): AdaptedTranscript {
  const fold = new TranscriptFold(target)
  for (const [index, message] of messages.entries()) fold.take(message, index)
  return checked(fold.end(), target, options)
}

/**
 * Makes a function that adapts a history as it grows. A history that begins with the messages of the last one, the same
 * objects, costs its new messages only, and what was made of the others is the same objects again. Results and changes
 * are those of `adaptTranscript`.
 */
export function transcriptAdapter(
  target: TranscriptRules,
  options: AdaptTranscriptOptions = {},
): (messages: readonly Message[]) => AdaptedTranscript {
  let fold = new TranscriptFold(target)
  let seen: readonly Message[] = []
  return (messages) => {
    const goesOn = seen.length <= messages.length && seen.every((message, index) => message === messages[index])
    if (!goesOn) fold = new TranscriptFold(target)
    for (let index = goesOn ? seen.length : 0; index < messages.length; index += 1) {
      const message = messages[index]
      if (message !== undefined) fold.take(message, index)
    }
    seen = [...messages]
    return checked(fold.end(), target, options)
  }
}

function checked(
  adapted: AdaptedTranscript,
  { target }: TranscriptRules,
  options: AdaptTranscriptOptions,
): AdaptedTranscript {
  const first = adapted.changes.find(({ reason }) => !harmless.has(reason))
  if (options.strict !== true || first === undefined) return adapted
  const { index, blockIndex, reason } = first
  const place = blockIndex === undefined ? `messages[${index}]` : `messages[${index}].blocks[${blockIndex}]`
  throw unsupported(place, `${reason}: ${target} does not take it as it is`)
}

/** Providers themselves give unsealed thinking and empty answers, and take neither back. */
const harmless: ReadonlySet<TranscriptChangeReason> = new Set(['empty', 'unsealed_thinking'])
