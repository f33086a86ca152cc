/** What a Converse body is, by the request types of `@aws-sdk/client-bedrock-runtime`. */
import type { ConverseCommandInput, ConverseStreamCommandInput } from '@aws-sdk/client-bedrock-runtime'

export type Converse = { stream: ConverseStreamCommandInput; whole: ConverseCommandInput }

/** Bytes, which the wire has as base64. */
export declare function bytes(base64: string): Uint8Array
