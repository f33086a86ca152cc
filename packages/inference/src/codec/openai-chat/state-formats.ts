import type { JsonValue } from '@looprig/core'

/** The label of `reasoning_details`: their list is the data of a thinking block's state, and goes back unchanged. */
export const reasoningDetailsFormat = 'openai-chat-reasoning-details'

/** The label of what a server attached to a tool call: `extra_content`, which goes back unchanged. */
export const extraContentFormat = 'openai-chat-extra-content'

/** The label of where a text comes from: `annotations`, kept for people and not sent back. */
export const annotationsFormat = 'openai-chat-annotations'

/** The data of a state with this label; nothing of any other. */
export function stateData(
  state: { readonly format: string; readonly data: JsonValue } | undefined,
  format: string,
): JsonValue | undefined {
  return state?.format === format ? state.data : undefined
}
