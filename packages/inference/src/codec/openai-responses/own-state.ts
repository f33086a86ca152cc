import type { JsonObject, ProviderState } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

/** The label of everything private that this protocol keeps in a message. */
export const responsesFormat = 'openai-responses'

/** Makes the state of a block. */
export function ownState(data: JsonObject): ProviderState {
  return { format: responsesFormat, data }
}

/** The data of a state that this protocol wrote itself; that of any other must never be sent. */
export function dataOfOwnState(state: ProviderState | undefined): JsonObject | undefined {
  return state?.format === responsesFormat ? objectOfMember(state.data) : undefined
}
