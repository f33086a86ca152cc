import type { JsonObject, ProviderState } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/** The label of everything private that this protocol keeps in a message. */
export const geminiFormat = 'gemini'

/**
 * Makes the state of a block: the `thoughtSignature` of the part that it came with, the `id` that the provider itself
 * gave a call, `emptyText` for a signature on a text without text, or a whole `part` that is kept as it is.
 */
export function ownState(data: JsonObject): ProviderState {
  return { format: geminiFormat, data }
}

/** The data of a state that this protocol wrote itself; that of any other must never be sent. */
export function dataOfOwnState(state: ProviderState | undefined): JsonObject | undefined {
  return state?.format === geminiFormat ? objectOfMember(state.data) : undefined
}
