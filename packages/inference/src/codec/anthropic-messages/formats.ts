/** The label of a thinking signature that this protocol made. Nobody else can check it. */
export const sealFormat = 'anthropic'

/** The label of thinking that the provider gave encrypted, and takes back only as it was. */
export const redactedFormat = 'anthropic-redacted-thinking'
