import type { Block } from '../content/block.ts'
import type { Message } from '../content/message.ts'

const places = {
  text: ['system', 'user', 'assistant', 'tool'],
  refusal: ['assistant'],
  thinking: ['assistant'],
  tool_use: ['assistant'],
  tool_result: [],
  image: ['user', 'assistant', 'tool'],
  audio: ['user', 'assistant', 'tool'],
  document: ['user', 'assistant', 'tool'],
} as const satisfies Record<Block['type'], readonly Message['role'][]>

/** Says whether a message of this role may have a block of this kind. A result in history is a message of its own. */
export function hasPlaceFor(role: Message['role'], type: Block['type']): boolean {
  const roles: readonly Message['role'][] = places[type]
  return roles.includes(role)
}
