import type { Block, JsonObject } from '@looprig/core'
import type { WireCodec } from '@looprig/inference'
import { numberOf, objectOf, objectsOf, textOf, textsOf } from './json-members.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/** Reads a request of the Converse protocol; its model stands in the path. */
export async function fromBedrock(body: JsonObject, codec: WireCodec, path: string): Promise<NeutralRequest> {
  const draft = new NeutralDraft(codec, decodeURIComponent(/\/model\/([^/]+)/.exec(path)?.[1] ?? ''))
  for (const part of objectsOf(body.system)) {
    draft.addSystem(textOf(part.text))
    if ('cachePoint' in part) draft.cache()
  }
  for (const message of objectsOf(body.messages)) {
    const content = objectsOf(message.content)
    if (message.role === 'assistant') await draft.addAnswer(answer(content))
    else addUserTurn(draft, content)
  }
  const config = objectOf(body.toolConfig)
  for (const tool of objectsOf(config?.tools)) {
    const spec = objectOf(tool.toolSpec)
    const schema = objectOf(objectOf(spec?.inputSchema)?.json)
    if ('cachePoint' in tool) draft.cache()
    else if (spec === undefined) draft.leave(`tools.${Object.keys(tool).join('+')}`)
    else draft.addTool(textOf(spec.name), textOf(spec.description), schema ?? { type: 'object' })
  }
  readToolChoice(draft, objectOf(config?.toolChoice))
  const inference = objectOf(body.inferenceConfig)
  const thinking = objectOf(objectOf(body.additionalModelRequestFields)?.thinking)
  draft.sampling = {
    temperature: numberOf(inference?.temperature),
    topP: numberOf(inference?.topP),
    maxOutputTokens: numberOf(inference?.maxTokens),
    stop: textsOf(inference?.stopSequences),
    effort: thinking === undefined ? undefined : 'medium',
  }
  return draft.end()
}

function answer(content: JsonObject[]): JsonObject {
  const stopReason = content.some((part) => 'toolUse' in part) ? 'tool_use' : 'end_turn'
  return { output: { message: { role: 'assistant', content } }, stopReason, usage: { inputTokens: 1, outputTokens: 1 } }
}

function addUserTurn(draft: NeutralDraft, content: readonly JsonObject[]): void {
  for (const part of content) {
    const result = objectOf(part.toolResult)
    if (result === undefined) continue
    const blocks = blocksOf(draft, objectsOf(result.content))
    draft.addResult(textOf(result.toolUseId) ?? '', blocks, result.status === 'error')
  }
  draft.addUser(
    blocksOf(
      draft,
      content.filter((part) => !('toolResult' in part)),
    ),
  )
}

function blocksOf(draft: NeutralDraft, content: readonly JsonObject[]): Block[] {
  return content.flatMap((part): Block[] => {
    const text = textOf(part.text)
    const document = objectOf(part.document)
    if (text !== undefined) return [{ type: 'text', text }]
    if (document !== undefined) return documentOf(draft, document)
    if ('cachePoint' in part) draft.cache()
    else draft.leave(`content.${Object.keys(part).join('+')}`)
    return []
  })
}

const mediaTypes: Readonly<Record<string, string>> = { txt: 'text/plain', pdf: 'application/pdf' }

function documentOf(draft: NeutralDraft, document: JsonObject): Block[] {
  const source = objectOf(document.source)
  const mediaType = mediaTypes[textOf(document.format) ?? ''] ?? 'application/octet-stream'
  const name = textOf(document.name)
  const named = name === undefined ? {} : { name }
  const data = textOf(source?.bytes)
  const text = textOf(source?.text)
  if ('citations' in document) draft.leave('content.document.citations')
  if (data !== undefined) return [{ type: 'document', mediaType, data, ...named }]
  if (text !== undefined) return [{ type: 'document', mediaType, text, ...named }]
  draft.leave(`content.document.${Object.keys(source ?? {}).join('+')}`)
  return []
}

function readToolChoice(draft: NeutralDraft, choice: JsonObject | undefined): void {
  const name = textOf(objectOf(choice?.tool)?.name)
  if (choice !== undefined && 'any' in choice) draft.toolChoice = 'required'
  else if (name !== undefined) draft.toolChoice = { name }
}
