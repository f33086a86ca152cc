/** The label of a thinking signature that this protocol gave. Nobody else can check it. */
export const sealFormat = 'bedrock-converse'

/** The label of where a text comes from, as the provider said it. It is kept for people and not sent back. */
export const citationsFormat = 'bedrock-converse-citations'

/** The label of thinking that the provider gave encrypted, as base64, and takes back only as it was. */
export const redactedFormat = 'bedrock-converse-redacted-thinking'
