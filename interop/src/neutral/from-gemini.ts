import type { Block, JsonObject, JsonValue, ToolUseBlock } from '@looprig/core'
import type { WireCodec } from '@looprig/inference'
import { effortOf } from './from-chat.ts'
import { numberOf, objectOf, objectsOf, textOf, textsOf } from './json-members.ts'
import { NeutralDraft, type NeutralRequest } from './neutral-draft.ts'

/** Reads a request of the Gemini protocol; its model stands in the path. */
export async function fromGemini(body: JsonObject, codec: WireCodec, path: string): Promise<NeutralRequest> {
  const draft = new NeutralDraft(codec, /\/models\/([^:]+)/.exec(path)?.[1] ?? '')
  for (const part of objectsOf(objectOf(body.systemInstruction)?.parts)) draft.addSystem(textOf(part.text))
  let open: ToolUseBlock[] = []
  for (const content of objectsOf(body.contents)) {
    if (content.role === 'model') {
      const blocks = await draft.addAnswer({ candidates: [{ content, finishReason: 'STOP' }] })
      open = blocks.filter((block) => block.type === 'tool_use')
    } else open = addUserTurn(draft, objectsOf(content.parts), open)
  }
  for (const tool of objectsOf(body.tools)) readTool(draft, tool)
  readToolChoice(draft, objectOf(objectOf(body.toolConfig)?.functionCallingConfig))
  for (const field of ['modelArmorConfig', 'cachedContent', 'safetySettings']) if (field in body) draft.leave(field)
  readConfig(draft, objectOf(body.generationConfig) ?? {})
  return draft.end()
}

/** Results go to the calls of the step by their names, in order. */
function addUserTurn(draft: NeutralDraft, parts: readonly JsonObject[], open: readonly ToolUseBlock[]): ToolUseBlock[] {
  const left = [...open]
  const said: Block[] = []
  for (const part of parts) {
    const result = objectOf(part.functionResponse)
    const text = textOf(part.text)
    if (result !== undefined) {
      const at = left.findIndex(({ name }) => name === result.name)
      const [call] = left.splice(at === -1 ? 0 : at, 1)
      const output = result.response ?? {}
      draft.addResult(call?.id ?? '', [{ type: 'text', text: JSON.stringify(output) }])
    } else if (text !== undefined) said.push({ type: 'text', text })
    else draft.leave(`parts.${Object.keys(part).join('+')}`)
  }
  draft.addUser(said)
  return left
}

function readTool(draft: NeutralDraft, tool: JsonObject): void {
  for (const declaration of objectsOf(tool.functionDeclarations)) {
    const schema = objectOf(declaration.parametersJsonSchema) ?? objectOf(declaration.parameters_json_schema)
    const own = objectOf(lowerTypes(declaration.parameters))
    draft.addTool(textOf(declaration.name), textOf(declaration.description), schema ?? own ?? { type: 'object' })
  }
  for (const kind of Object.keys(tool)) if (kind !== 'functionDeclarations') draft.leave(`tools.${kind}`)
}

/** The names of types are those of JSON Schema, in capitals. */
function lowerTypes(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((each) => lowerTypes(each) ?? null)
  const object = objectOf(value)
  if (object === undefined) return value
  return Object.fromEntries(
    Object.entries(object).map(([key, each]) => [
      key,
      key === 'type' && typeof each === 'string' ? each.toLowerCase() : (lowerTypes(each) ?? null),
    ]),
  )
}

function readToolChoice(draft: NeutralDraft, config: JsonObject | undefined): void {
  const allowed = textsOf(config?.allowedFunctionNames)
  if (config?.mode === 'NONE') draft.toolChoice = 'none'
  else if (config?.mode === 'ANY') draft.toolChoice = allowed.length === 0 ? 'required' : { allowed, required: true }
}

function readConfig(draft: NeutralDraft, config: JsonObject): void {
  const thinking = objectOf(config.thinkingConfig)
  const level = textOf(thinking?.thinkingLevel)?.toLowerCase()
  draft.sampling = {
    temperature: numberOf(config.temperature),
    topP: numberOf(config.topP),
    maxOutputTokens: numberOf(config.maxOutputTokens),
    stop: textsOf(config.stopSequences),
    effort: thinking === undefined ? undefined : (effortOf(level) ?? 'medium'),
  }
  const schema = objectOf(lowerTypes(config.responseSchema ?? config.response_schema))
  if (schema !== undefined) draft.output = { name: 'answer', schema }
}
