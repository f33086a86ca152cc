import type { JsonObject, JsonValue } from '@looprig/core'
import type { ChatProfileName } from '@looprig/inference/openai'
import type { WireBody } from '../wire-body.ts'
import { converseInput, geminiParameters, isBytes } from './sdk-parameters.ts'

/** The type that a body must have: a name, and the module of this folder that exports it. */
interface BodyType {
  readonly name: string
  readonly module: string
}

const chatTypes: Readonly<Record<ChatProfileName, string>> = {
  openai: 'Chat',
  azure: 'Chat',
  compatible: 'Chat',
  lmstudio: 'Chat',
  xai: 'Chat',
  deepseek: 'ChatReasoningContent',
  moonshot: 'ChatReasoningContent',
  groq: 'ChatReasoning',
  ollama: 'ChatReasoning',
  vllm: 'ChatReasoning',
  gemini: 'ChatGemini',
  openrouter: 'ChatOpenRouter',
  mistral: 'ChatMistral',
}

function bodyType({ api, profile = 'openai', beta = false }: WireBody): BodyType {
  switch (api) {
    case 'anthropic-messages':
      return { name: beta ? 'MessagesBeta' : 'Messages', module: 'messages-body' }
    case 'openai-chat':
      return { name: chatTypes[profile], module: 'chat-body' }
    case 'openai-responses':
      return { name: 'Responses', module: 'responses-body' }
    case 'gemini':
      return { name: 'Gemini', module: 'gemini-body' }
    case 'bedrock-converse':
      return { name: 'Converse', module: 'converse-body' }
    default:
      return api satisfies never
  }
}

/** Writes a body as a module that compiles only where the SDK's types take it. `#body/` stands for this folder. */
export function bodyModule(wire: WireBody): string {
  const { name, module } = bodyType(wire)
  const bytes = wire.api === 'bedrock-converse' ? `import { bytes } from '#body/${module}.ts'\nvoid bytes\n` : ''
  return [
    `import type { ${name} } from '#body/${module}.ts'\n${bytes}`,
    `export const body = ${literal(parametersOf(wire), '', wire)} satisfies ${name}['${wire.mode}']\n`,
  ].join('')
}

/** What the SDK's caller writes for the same body. */
function parametersOf(wire: WireBody): JsonObject {
  if (wire.api === 'gemini') return geminiParameters(wire)
  return wire.api === 'bedrock-converse' ? converseInput(wire) : wire.body
}

function literal(value: JsonValue, key: string, wire: WireBody): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, key, wire)).join(',\n')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => {
    const isBinary = wire.api === 'bedrock-converse' && isBytes(name, key, each)
    return `${JSON.stringify(name)}: ${isBinary ? `bytes(${JSON.stringify(each)})` : literal(each, name, wire)}`
  })
  return `{${members.join(',\n')}}`
}
