import type { Block, JsonObject, JsonValue } from '@looprig/core'
import type { WireCodec } from '@looprig/inference'
import { effortOf, toolChoiceOf } from './from-chat.ts'
import { numberOf, objectOf, objectsOf, textOf } from './json-members.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/** Reads a request of the Responses protocol. */
export async function fromResponses(body: JsonObject, codec: WireCodec): Promise<NeutralRequest> {
  const draft = new NeutralDraft(codec, textOf(body.model) ?? '')
  draft.addSystem(textOf(body.instructions))
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objectsOf(body.input)
  let said: JsonObject[] = []
  const closeAnswer = async () => {
    if (said.length > 0) await draft.addAnswer(answer(said))
    said = []
  }
  for (const item of input) {
    if (isOfModel(item)) {
      said.push('role' in item ? { type: 'message', ...item, content: outputOf(item.content) } : item)
      continue
    }
    await closeAnswer()
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      draft.addResult(textOf(item.call_id) ?? '', blocksOf(draft, item.output))
    } else if (item.role === 'user') draft.addUser(blocksOf(draft, item.content))
    else if ('role' in item) draft.messages.push({ role: 'system', blocks: blocksOf(draft, item.content) })
    else draft.leave(`input.${textOf(item.type)}`)
  }
  await closeAnswer()
  for (const tool of objectsOf(body.tools)) {
    const schema = objectOf(tool.parameters)
    if (tool.type !== 'function' || schema === undefined) draft.leave(`tools.${textOf(tool.type)}`)
    else draft.addTool(textOf(tool.name), textOf(tool.description), schema, tool.strict === true)
  }
  draft.toolChoice = toolChoiceOf(body.tool_choice)
  if (body.background === true) draft.leave('background')
  // a request was recorded that the provider refused for this
  const temperature = numberOf(body.temperature)
  if (temperature !== undefined && temperature < 0) draft.leave('temperature below 0')
  draft.sampling = {
    temperature: temperature !== undefined && temperature < 0 ? undefined : temperature,
    topP: numberOf(body.top_p),
    maxOutputTokens: numberOf(body.max_output_tokens),
    effort: effortOf(objectOf(body.reasoning)?.effort),
  }
  return draft.end()
}

function isOfModel(item: JsonObject): boolean {
  if (item.role === 'assistant') return true
  return item.type === 'reasoning' || item.type === 'function_call' || item.type === 'custom_tool_call'
}

function outputOf(content: JsonValue | undefined): JsonValue {
  return typeof content === 'string' ? [{ type: 'output_text', text: content, annotations: [] }] : (content ?? [])
}

function answer(output: JsonObject[]): JsonObject {
  return { object: 'response', status: 'completed', output }
}

function blocksOf(draft: NeutralDraft, content: JsonValue | undefined): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return objectsOf(content).flatMap((part): Block[] => {
    if (part.type === 'input_text') return [{ type: 'text', text: textOf(part.text) ?? '' }]
    draft.leave(`content.${textOf(part.type)}`)
    return []
  })
}
