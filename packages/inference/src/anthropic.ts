export type { AnthropicOptions } from './provider/anthropic-client.ts'
export { anthropicClient } from './provider/anthropic-client.ts'
export type { ConnectionOptions } from './transport/dispatcher.ts'
export type { TransportLimits } from './transport/limits.ts'
