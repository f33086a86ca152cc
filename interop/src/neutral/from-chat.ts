import type { Block, JsonObject, JsonValue } from '@looprig/core'
import type { Sampling, ToolChoice, WireCodec } from '@looprig/inference'
import { numberOf, objectOf, objectsOf, textOf, textsOf } from './json-members.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/** Reads a request of the Chat Completions protocol, in whatever dialect. */
export async function fromChat(body: JsonObject, codec: WireCodec): Promise<NeutralRequest> {
  const draft = new NeutralDraft(codec, textOf(body.model) ?? '')
  for (const message of objectsOf(body.messages)) {
    const { role, content } = message
    if (role === 'assistant') await draft.addAnswer(answer(message))
    else if (role === 'tool') draft.addResult(textOf(message.tool_call_id) ?? '', blocksOf(draft, content))
    else if (role === 'user') draft.addUser(blocksOf(draft, content))
    else draft.messages.push({ role: 'system', blocks: blocksOf(draft, content) })
  }
  for (const tool of objectsOf(body.tools)) {
    const spec = objectOf(tool.function)
    if (spec === undefined) draft.leave(`tools.${textOf(tool.type)}`)
    else {
      const strict = typeof spec.strict === 'boolean' ? spec.strict : undefined
      draft.addTool(textOf(spec.name), textOf(spec.description), objectOf(spec.parameters) ?? emptySchema, strict)
    }
  }
  draft.toolChoice = toolChoiceOf(body.tool_choice)
  if (typeof body.parallel_tool_calls === 'boolean') draft.parallelToolCalls = body.parallel_tool_calls
  draft.sampling = {
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    maxOutputTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    stop: typeof body.stop === 'string' ? [body.stop] : textsOf(body.stop),
    effort: effortOf(body.reasoning_effort) ?? (body.reasoning === undefined ? undefined : 'medium'),
  }
  const format = objectOf(objectOf(body.response_format)?.json_schema)
  if (format !== undefined) {
    draft.output = { name: textOf(format.name) ?? 'answer', schema: objectOf(format.schema) ?? emptySchema }
  }
  return draft.end()
}

const emptySchema: JsonObject = { type: 'object', properties: {} }

function answer(message: JsonObject): JsonObject {
  return { choices: [{ index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' }] }
}

function blocksOf(draft: NeutralDraft, content: JsonValue | undefined): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return objectsOf(content).flatMap((part): Block[] => {
    if (part.type === 'text') return [{ type: 'text', text: textOf(part.text) ?? '' }]
    if (part.type === 'image_url') return [imageOf(textOf(objectOf(part.image_url)?.url) ?? '')]
    draft.leave(`content.${textOf(part.type)}`)
    return []
  })
}

function imageOf(url: string): Block {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return { type: 'image', mediaType: 'image/jpeg', url }
  return { type: 'image', mediaType, data }
}

/** The choice, as Chat and Responses write it. */
export function toolChoiceOf(choice: JsonValue | undefined): ToolChoice | undefined {
  if (choice === 'none' || choice === 'required') return choice
  const named = objectOf(choice)
  const name = textOf(objectOf(named?.function)?.name) ?? textOf(named?.name)
  return name === undefined ? undefined : { name }
}

const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** The effort, where it is a word that we have. */
export function effortOf(value: JsonValue | undefined): Sampling['effort'] {
  return efforts.find((effort) => effort === value)
}
