import { LooprigError } from '@looprig/core'
import type { InferenceResponse } from '../client/response.ts'
import type { OutputStrategyName } from './output-strategy.ts'

/**
 * Why there is no object.
 *
 * Before a request is sent: `invalid_schema` (it cannot be shown to a model), `unsupported` (the model cannot do what
 * the chosen strategy needs). Of a response: `refused` (the model, or a filter, declined), `length` (cut off by the
 * limit of the output), `ambiguous` (it holds more than one thing that could be the object, or a name twice),
 * `no_output` (it holds none), `too_large`, `invalid_json`, `schema_mismatch`.
 */
export type StructuredOutputErrorCode =
  | 'invalid_schema'
  | 'unsupported'
  | 'refused'
  | 'length'
  | 'ambiguous'
  | 'no_output'
  | 'too_large'
  | 'invalid_json'
  | 'schema_mismatch'

/** What a `StructuredOutputError` may carry besides its code. */
export interface StructuredOutputErrorOptions extends ErrorOptions {
  readonly strategy?: OutputStrategyName | undefined
  readonly response?: InferenceResponse | undefined
}

/** The model gave no object of the schema. Its message may name fields, and never holds what the model said. */
export class StructuredOutputError extends LooprigError {
  override readonly name = 'StructuredOutputError'
  readonly code: StructuredOutputErrorCode
  /** How the model was asked. */
  readonly strategy: OutputStrategyName | undefined
  readonly #response: InferenceResponse | undefined

  constructor(code: StructuredOutputErrorCode, message: string, options: StructuredOutputErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.strategy = options.strategy
    this.#response = options.response
  }

  /** The response that holds no object, with its usage; absent where none was asked for. Not part of any print. */
  get response(): InferenceResponse | undefined {
    return this.#response
  }
}
