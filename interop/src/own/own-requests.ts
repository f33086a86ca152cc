import type { Block, JsonObject, Message } from '@looprig/core'
import type { InferenceRequest, Model, ToolSpec } from '@looprig/inference'
import { type DialectName, dialectName, dialects } from '../wire-body.ts'

/** One thing that a request can say, and the dialects that cannot. */
export interface OwnRequest {
  readonly name: string
  readonly request: InferenceRequest
  /** Those that have no form for it: their encoders must say so. */
  readonly except?: readonly DialectName[]
}

const chatDialects = dialects.filter(({ api }) => api === 'openai-chat').map(dialectName)

const model: Model = {
  provider: 'own',
  name: 'model-1',
  capabilities: { tools: true, images: true, audio: true, documents: true, structuredOutput: true },
  limits: { maxOutputTokens: 8000 },
}

const thinker: Model = { ...model, capabilities: { ...model.capabilities, thinking: true, thinkingDialect: 'budget' } }
const adaptive: Model = { ...thinker, capabilities: { ...thinker.capabilities, thinkingDialect: 'adaptive' } }
const caching: Model = { ...model, capabilities: { ...model.capabilities, promptCaching: true } }

const schema: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where.' },
    days: { type: 'integer', minimum: 1, maximum: 10 },
    units: { type: 'string', enum: ['metric', 'imperial'] },
    places: { type: 'array', items: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['city'],
  additionalProperties: false,
}

const strictSchema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

const weather: ToolSpec = { name: 'weather', description: 'Tells the weather.', inputSchema: schema }
const time: ToolSpec = { name: 'time', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } }
const strict: ToolSpec = { name: 'strict', description: 'Is held to.', inputSchema: strictSchema, strict: true }
const tools = [weather, time, strict]

const text = (value: string): Block => ({ type: 'text', text: value })
const user = (...blocks: Block[]): Message => ({ role: 'user', blocks })
const hello = user(text('Hello.'))
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image: Block = { type: 'image', mediaType: 'image/png', data: png }
const pdf: Block = { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0xLjQK', name: 'paper.pdf' }
const note: Block = { type: 'document', mediaType: 'text/plain', text: 'Buy milk.', name: 'note.txt' }
const sound: Block = { type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' }

const calls: readonly Message[] = [
  hello,
  {
    role: 'assistant',
    blocks: [
      text('Let me look.'),
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo', places: [{ lat: 1.5 }] } },
      { type: 'tool_use', id: 'call_2', name: 'time', input: {} },
    ],
  },
  { role: 'tool', toolUseId: 'call_1', isError: false, blocks: [text('Rain.')] },
  { role: 'tool', toolUseId: 'call_2', isError: true, blocks: [text('No clock.')] },
]

const result = (...blocks: Block[]): readonly Message[] => [
  hello,
  { role: 'assistant', blocks: [{ type: 'tool_use', id: 'call_1', name: 'time', input: {} }] },
  { role: 'tool', toolUseId: 'call_1', isError: false, blocks },
]

/** Every block and every option of a request. */
export const ownRequests: readonly OwnRequest[] = [
  { name: 'a text', request: { model, messages: [hello] } },
  { name: 'instructions', request: { model, system: 'Be brief.', messages: [hello] } },
  {
    name: 'instructions among the messages',
    request: { model, messages: [{ role: 'system', blocks: [text('Be brief.')] }, hello] },
  },
  { name: 'an image', request: { model, messages: [user(text('What is it?'), image)] } },
  {
    name: 'an image by URL',
    request: { model, messages: [user({ type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' })] },
    except: ['gemini', 'bedrock-converse'],
  },
  { name: 'a PDF', request: { model, messages: [user(pdf, text('Sum it up.'))] } },
  {
    name: 'a PDF by URL',
    request: {
      model,
      messages: [user({ type: 'document', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' })],
    },
    except: ['gemini', 'bedrock-converse', ...chatDialects.filter((name) => !/mistral|openrouter/.test(name))],
  },
  { name: 'a document of text', request: { model, messages: [user(note)] } },
  {
    name: 'sound',
    request: { model, messages: [user(sound, text('What is said?'))] },
    except: ['anthropic-messages', 'openai-responses'],
  },
  { name: 'an answer', request: { model, messages: [hello, { role: 'assistant', blocks: [text('Hi.')] }, hello] } },
  {
    name: 'a refusal',
    request: { model, messages: [hello, { role: 'assistant', blocks: [{ type: 'refusal', text: 'No.' }] }, hello] },
  },
  {
    name: 'thinking of another protocol',
    request: {
      model,
      messages: [
        hello,
        {
          role: 'assistant',
          blocks: [{ type: 'thinking', text: 'Hm.', seal: { format: 'another', signature: 'x' } }, text('Hi.')],
        },
        hello,
      ],
    },
  },
  { name: 'parallel calls and their results', request: { model, tools, messages: calls } },
  { name: 'a result without a text', request: { model, tools, messages: result() } },
  { name: 'a result with an image', request: { model, tools, messages: result(text('Here.'), image) } },
  { name: 'a result with a PDF', request: { model, tools, messages: result(pdf) } },
  { name: 'a call without a result', request: { model, tools, messages: [...calls.slice(0, 3), hello] } },
  { name: 'a user right after results', request: { model, tools, messages: [...calls, hello] } },
  { name: 'tools', request: { model, tools, messages: [hello] } },
  { name: 'tools of which none may be called', request: { model, tools, toolChoice: 'none', messages: [hello] } },
  { name: 'tools of which one must be called', request: { model, tools, toolChoice: 'required', messages: [hello] } },
  { name: 'a tool that must be called', request: { model, tools, toolChoice: { name: 'time' }, messages: [hello] } },
  {
    name: 'tools of which some may be called',
    request: { model, tools, toolChoice: { allowed: ['time', 'weather'] }, messages: [hello] },
  },
  {
    name: 'tools of which some must be called',
    request: { model, tools, toolChoice: { allowed: ['time', 'weather'], required: true }, messages: [hello] },
  },
  {
    name: 'one call at most',
    request: { model, tools, parallelToolCalls: false, messages: [hello] },
    except: ['gemini', 'bedrock-converse'],
  },
  {
    name: 'a form for the answer',
    request: { model, output: { name: 'place', description: 'A place.', schema: strictSchema }, messages: [hello] },
  },
  {
    name: 'a loose form for the answer',
    request: { model, output: { name: 'place', schema, strict: false }, messages: [hello] },
  },
  {
    name: 'sampling',
    request: { model, sampling: { temperature: 0.5, topP: 0.9, maxOutputTokens: 500 }, messages: [hello] },
  },
  {
    name: 'stop sequences',
    request: { model, sampling: { stop: ['END', 'STOP'] }, messages: [hello] },
    except: ['openai-responses'],
  },
  ...(['low', 'medium', 'high', 'xhigh', 'max'] as const).map((effort): OwnRequest => {
    const request = { model: adaptive, sampling: { effort }, messages: [hello] }
    const isWord = effort === 'low' || effort === 'medium' || effort === 'high'
    return { name: `an effort: ${effort}`, request, ...(isWord ? {} : { except: ['gemini'] as const }) }
  }),
  { name: 'a budget', request: { model: thinker, sampling: { effort: 'high' }, tools, messages: [hello] } },
  {
    name: 'cache markers',
    request: { model: caching, system: 'Be brief.', tools, messages: calls, transientMessages: 1 },
  },
]
