import type { JsonObject, Message } from '@looprig/core'
import type { Model, Sampling } from '../model/model.ts'

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the argument object. */
  readonly inputSchema: JsonObject
  /** Asks the provider to hold the arguments to the schema, where it can; the schema must then be one it takes. */
  readonly strict?: boolean | undefined
}

/**
 * Whether the model may, must not or must call a tool. `{name}` means exactly that one; `{allowed}` that it may call
 * none but these, and must call one of them when `required` is true.
 */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  | { readonly allowed: readonly string[]; readonly required?: boolean | undefined }

/** The form that the model's text must have, held to by the provider itself. */
export interface OutputFormat {
  /** Letters, digits, underscores and hyphens, at most 64. */
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of an object. */
  readonly schema: JsonObject
  /** Default: true. */
  readonly strict?: boolean | undefined
}

/** One neutral request. A client never changes it and keeps no reference to it after the response. */
export interface InferenceRequest {
  readonly model: Model
  readonly system?: string | undefined
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolSpec[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** `false`: at most one call in a response. Default: as the provider does. */
  readonly parallelToolCalls?: boolean | undefined
  /** Needs the `structuredOutput` capability of the model. */
  readonly output?: OutputFormat | undefined
  /**
   * How many of the last messages are for this request only. What comes before them is sent again by the next one, so
   * cache markers never stand after it. Default: 0.
   */
  readonly transientMessages?: number | undefined
  /** Laid over the model's own sampling, field by field; an absent field keeps the model's. */
  readonly sampling?: Sampling | undefined
}
