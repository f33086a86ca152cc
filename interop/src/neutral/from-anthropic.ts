import type { Block, JsonObject, JsonValue } from '@looprig/core'
import type { WireCodec } from '@looprig/inference'
import { numberOf, objectOf, objectsOf, textOf, textsOf } from './json-members.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/** Reads a request of the Messages protocol. */
export async function fromAnthropic(body: JsonObject, codec: WireCodec): Promise<NeutralRequest> {
  const draft = new NeutralDraft(codec, textOf(body.model) ?? '')
  for (const part of typeof body.system === 'string' ? [{ text: body.system }] : objectsOf(body.system)) {
    draft.addSystem(textOf(part.text))
    if ('cache_control' in part) draft.cache()
  }
  for (const message of objectsOf(body.messages)) {
    const content = partsOf(message.content)
    if (message.role === 'assistant') await draft.addAnswer(answer(content))
    else addUserTurn(draft, content)
  }
  for (const tool of objectsOf(body.tools)) {
    const schema = objectOf(tool.input_schema)
    if (schema === undefined) draft.leave(`tools.${textOf(tool.type)}`)
    else draft.addTool(textOf(tool.name), textOf(tool.description), schema)
  }
  readToolChoice(draft, objectOf(body.tool_choice))
  if ('mcp_servers' in body) draft.leave('mcp_servers')
  const thinking = objectOf(body.thinking)
  draft.sampling = {
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    maxOutputTokens: numberOf(body.max_tokens),
    stop: textsOf(body.stop_sequences),
    effort: thinking?.type === 'enabled' ? 'medium' : undefined,
  }
  const schema = objectOf(objectOf(objectOf(body.output_config)?.format)?.schema)
  if (schema !== undefined) draft.output = { name: 'answer', schema }
  return draft.end()
}

function answer(content: JsonObject[]): JsonObject {
  const calls = content.some((part) => part.type === 'tool_use')
  const usage = { input_tokens: 1, output_tokens: 1 }
  return { type: 'message', role: 'assistant', content, stop_reason: calls ? 'tool_use' : 'end_turn', usage }
}

/** Results stand first in a turn; what a person said follows them. */
function addUserTurn(draft: NeutralDraft, content: readonly JsonObject[]): void {
  for (const part of content) {
    if (part.type !== 'tool_result') continue
    draft.addResult(textOf(part.tool_use_id) ?? '', blocksOf(draft, partsOf(part.content)), part.is_error === true)
  }
  draft.addUser(
    blocksOf(
      draft,
      content.filter(({ type }) => type !== 'tool_result'),
    ),
  )
}

function blocksOf(draft: NeutralDraft, content: readonly JsonObject[]): Block[] {
  return content.flatMap((part): Block[] => {
    const source = objectOf(part.source)
    if ('cache_control' in part) draft.cache()
    if (part.type === 'text') return [{ type: 'text', text: textOf(part.text) ?? '' }]
    if (part.type === 'image') return [{ type: 'image', ...mediaOf(source, 'image/jpeg') }]
    if (part.type !== 'document') {
      draft.leave(`content.${textOf(part.type)}`)
      return []
    }
    if ('citations' in part) draft.leave('content.document.citations')
    const name = textOf(part.title)
    const named = name === undefined ? {} : { name }
    if (source?.type !== 'text') return [{ type: 'document', ...mediaOf(source, 'application/pdf'), ...named }]
    return [{ type: 'document', mediaType: 'text/plain', text: textOf(source.data) ?? '', ...named }]
  })
}

function mediaOf(
  source: JsonObject | undefined,
  mediaType: string,
): { mediaType: string; data?: string; url?: string } {
  const url = textOf(source?.url)
  if (url !== undefined) return { mediaType, url }
  return { mediaType: textOf(source?.media_type) ?? mediaType, data: textOf(source?.data) ?? '' }
}

function readToolChoice(draft: NeutralDraft, choice: JsonObject | undefined): void {
  if (choice?.disable_parallel_tool_use === true) draft.parallelToolCalls = false
  if (choice?.type === 'none') draft.toolChoice = 'none'
  else if (choice?.type === 'any') draft.toolChoice = 'required'
  else if (choice?.type === 'tool') draft.toolChoice = { name: textOf(choice.name) ?? '' }
}

function partsOf(content: JsonValue | undefined): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)
}
