import { type AIMessage, assertNever, type JsonObject, type ThinkingBlock, type ToolUseBlock } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { dataOfOwnState } from './own-state.ts'

/**
 * Encodes an assistant message as input items in exactly the order in which they came. Reasoning goes back encrypted or
 * not at all, and only right before the item that followed it: the provider refuses it anywhere else.
 *
 * @param callIds - the ids under which its calls are sent, in their order.
 * @param nameOf - the name under which a call is sent.
 * @returns the JSON of the items with commas between them; empty when nothing of the message can be sent.
 * @throws InferenceError `unsupported` for a block that has no place in an assistant message.
 */
export function encodeAssistant(
  { blocks }: AIMessage,
  callIds: readonly string[],
  nameOf: (name: string) => string,
): string {
  const items = new AssistantItems()
  let calls = 0
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        items.addText(block.text, textOfMember(dataOfOwnState(block.state)?.phase))
        break
      case 'refusal':
        items.addText(block.text, undefined)
        break
      case 'thinking':
        addThinking(block, items)
        break
      case 'tool_use':
        items.add(callItem(block, callIds[calls++] ?? block.id, nameOf(block.name)))
        break
      case 'image':
      case 'audio':
      case 'document':
      case 'tool_result':
        throw unsupported('an assistant message', `cannot hold a ${block.type} block in this protocol`)
      default:
        assertNever(block, 'block')
    }
  }
  return items.json()
}

/** Whether a call was one of a custom tool, whose argument is free text. */
export function isCustomCall({ state }: ToolUseBlock): boolean {
  return dataOfOwnState(state)?.custom === true
}

function addThinking({ text, state }: ThinkingBlock, items: AssistantItems): void {
  const data = dataOfOwnState(state)
  const item = objectOfMember(data?.item)
  if (item !== undefined) items.add(item)
  const encrypted = textOfMember(data?.encrypted_content)
  if (encrypted === undefined) return
  const id = textOfMember(data?.id)
  items.addReasoning({
    type: 'reasoning',
    ...(id === undefined ? {} : { id }),
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: encrypted,
  })
}

function callItem(block: ToolUseBlock, call_id: string, name: string): object {
  const { input, state } = block
  if (!isCustomCall(block)) return { type: 'function_call', call_id, name, arguments: wellFormedJson(input) }
  return { type: 'custom_tool_call', call_id, name, input: textOfMember(dataOfOwnState(state)?.input) ?? '' }
}

/** The items of one message. Texts that belong together become one. */
class AssistantItems {
  readonly #texts: string[] = []
  #reasoning: JsonObject[] = []
  #open: { content: string; readonly phase: string | undefined } | undefined

  addText(text: string, phase: string | undefined): void {
    if (text === '') return
    if (this.#open?.phase === phase && this.#open !== undefined) this.#open.content += text
    else {
      this.#closeText()
      this.#open = { content: text, phase }
    }
  }

  /** It waits for the item that follows it. */
  addReasoning(item: JsonObject): void {
    this.#closeText()
    this.#reasoning.push(item)
  }

  add(item: object): void {
    this.#closeText()
    this.#push(item)
  }

  json(): string {
    this.#closeText()
    return this.#texts.join(',')
  }

  #closeText(): void {
    if (this.#open === undefined) return
    const { content, phase } = this.#open
    this.#open = undefined
    this.#push({ role: 'assistant', content, ...(phase === undefined ? {} : { phase }) })
  }

  #push(item: object): void {
    for (const waiting of this.#reasoning) this.#texts.push(wellFormedJson(waiting))
    this.#reasoning = []
    this.#texts.push(wellFormedJson(item))
  }
}
