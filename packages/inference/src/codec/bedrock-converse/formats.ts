/** The label of a thinking signature that this protocol gave. Nobody else can check it. */
export const sealFormat = 'bedrock-converse'

/** The label of thinking that the provider gave encrypted, as base64, and takes back only as it was. */
export const redactedFormat = 'bedrock-converse-redacted-thinking'
