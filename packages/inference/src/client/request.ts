import type { JsonObject, Message } from '@looprig/core'
import type { Model, Sampling } from '../model/model.ts'

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the argument object. */
  readonly inputSchema: JsonObject
}

/** Whether the model may, must not or must call a tool; `{name}` means exactly that one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** One neutral request. A client never changes it and keeps no reference to it after the response. */
export interface InferenceRequest {
  readonly model: Model
  readonly system?: string | undefined
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolSpec[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** Laid over the model's own sampling, field by field; an absent field keeps the model's. */
  readonly sampling?: Sampling | undefined
}
