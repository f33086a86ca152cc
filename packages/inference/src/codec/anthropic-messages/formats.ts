/** The label of a thinking signature that this protocol made. Nobody else can check it. */
export const sealFormat = 'anthropic'

/** The label of thinking that the provider gave encrypted, and takes back only as it was. */
export const redactedFormat = 'anthropic-redacted-thinking'

/**
 * The label of what the neutral vocabulary has no place for, kept as it came so that it can go back: a whole block of the
 * server's own tools or of a kind that is new, or what a call carries besides its arguments. Nothing of it is ever run.
 */
export const opaqueFormat = 'anthropic-opaque'
