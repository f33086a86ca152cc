import type { MediaBlock, Message } from '@looprig/core'

/** What texts a target takes for an id or a name. A text that is made for it consists of lower-case letters and digits. */
export interface LegalText {
  readonly pattern: RegExp
  /** In UTF-16 units. */
  readonly maxLength: number
}

/** How a target takes one kind of media. */
export interface MediaRule {
  /** Where it may stand. */
  readonly roles: readonly Exclude<Message['role'], 'system'>[]
  /** The media types that it takes as bytes, in lower case; `image/*` stands for one family, `*` for all. */
  readonly data: readonly string[]
  /** What it takes by URL; absent: nothing, so that the text beside one counts. */
  readonly url?: MediaUrlRule | undefined
  /** Whether the block's text is enough: when it has nothing else, also beside data or a URL that is not taken, or never. */
  readonly text: 'never' | 'alone' | 'beside'
}

/** What a target takes by URL. */
export interface MediaUrlRule {
  /** How the URL must begin, in lower case, for example `https:`. */
  readonly prefixes: readonly string[]
  /** As `data` of a `MediaRule`. */
  readonly mediaTypes: readonly string[]
}

/** What a history must be like for a target: plain data, so that a server of its own way is a spread with a change. */
export interface TranscriptRules {
  /** Whom to name in an error, for example `anthropic-messages`. */
  readonly target: string
  /** The formats of seals that it made itself. */
  readonly sealFormats: readonly string[]
  /** The formats of provider state that it made itself. */
  readonly stateFormats: readonly string[]
  /** What becomes of thinking that nobody has sealed. Sealed by another target, it is always dropped. */
  readonly unsealedThinking: 'keep' | 'drop'
  readonly toolIds: LegalText
  readonly toolNames: LegalText
  /** Whether a refusal stands in history as such, or as a text. */
  readonly refusals: 'keep' | 'text'
  /** What becomes of a text of nothing but white space. An empty one is always dropped. */
  readonly blankText: 'keep' | 'drop'
  /** What becomes of a tool result without content. */
  readonly emptyResults: 'keep' | 'fill'
  /** Where a system message may stand: anywhere; before all others, so it is moved there; or it becomes a user message. */
  readonly systemMessages: 'anywhere' | 'first' | 'user'
  /** Whether two user or two assistant messages may follow each other, or are one. */
  readonly consecutiveRoles: 'keep' | 'merge'
  /** Whether the first message after those of the system must be a user's. */
  readonly beginning: 'any' | 'user'
  readonly media: { readonly [Kind in MediaBlock['type']]: MediaRule }
}
