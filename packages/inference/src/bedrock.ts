export type { ConnectionOptions } from './transport/dispatcher.ts'
export type { TransportLimits } from './transport/limits.ts'
