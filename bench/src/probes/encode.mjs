/** What it costs to write the request of the next step, after few messages and after many. */
import { createAnthropicCodec } from '@looprig/inference/anthropic'
import { createBedrockCodec } from '@looprig/inference/bedrock'
import { createGeminiCodec } from '@looprig/inference/gemini'
import { createChatCodec } from '@looprig/inference/openai'
import { createResponsesCodec } from '@looprig/inference/openai-responses'
import { earlierText, toolDescription, toolName } from '../script.mjs'

const makers = {
  'openai-chat': createChatCodec,
  'anthropic-messages': createAnthropicCodec,
  'openai-responses': createResponsesCodec,
  gemini: createGeminiCodec,
  'bedrock-converse': createBedrockCodec,
}

/** Written in turn, so that what is measured at once is far above what the clock can tell. */
const conversations = 25

/** Steps of each: those that warm up, those whose requests are written, and those whose bytes are put together too. */
const warmUpSteps = 60
const encodeSteps = 40
const joinSteps = 10

const tools = [{ name: toolName, description: toolDescription, inputSchema: { type: 'object', properties: {} } }]
const model = {
  provider: 'scripted',
  name: 'scripted',
  capabilities: { tools: true },
  limits: { maxOutputTokens: 1_000 },
}

/** @param {string} name the protocol, and how many messages there are. */
export async function probe(name) {
  const [api, count] = name.split(' after ')
  const codec = makers[api]()
  const earlier = Number(count.replace(',', '').replace(' messages', ''))
  const all = Array.from({ length: conversations }, () => history(earlier))
  const requests = () => all.map((messages) => ({ model, tools, messages: [...messages] }))
  for (const request of requests()) codec.encode(request, 'stream')

  let step = 0
  const next = () => {
    step += 1
    for (const messages of all) messages.push(...stepOf(step))
    const given = requests()
    return cpuOf(() => given.map((request) => codec.encode(request, 'stream').body))
  }
  for (let at = 0; at < warmUpSteps; at += 1) next()
  let encode = 0
  for (let at = 0; at < encodeSteps; at += 1) encode += next()[0]
  let join = 0
  for (let at = 0; at < joinSteps; at += 1) {
    const [, bodies] = next()
    join += cpuOf(() => bodies.map((body) => Buffer.byteLength(body)))[0]
  }
  return [encode / (conversations * encodeSteps), join / (conversations * joinSteps)]
}

function cpuOf(work) {
  const before = process.cpuUsage()
  const made = work()
  const { user, system } = process.cpuUsage(before)
  return [user + system, made]
}

function history(length) {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    blocks: [{ type: 'text', text: earlierText }],
  }))
}

function stepOf(step) {
  const id = `call-${step}`
  return [
    { role: 'assistant', blocks: [{ type: 'tool_use', id, name: toolName, input: { a: step, b: 3 } }] },
    { role: 'tool', toolUseId: id, isError: false, blocks: [{ type: 'text', text: String(step + 3) }] },
  ]
}
