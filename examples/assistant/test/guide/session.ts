import type { LoopId, SessionId, ToolExecutionId } from '@looprig/core'
import { type Message, type ToolResultMessage, type ToolUseBlock, textOf, userMessage, uuidV7 } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { buildTools, seal, type Tool } from '@looprig/tools'
import { createReadGuard, globDefinition, grepDefinition, readFileDefinition } from '@looprig/tools/workspace'
import { offlineGuide, offlineGuideModel } from '../../src/guide/guide.ts'

/** What came of one question. */
export interface Exchange {
  readonly text: string
  /** The calls of each response. */
  readonly steps: readonly (readonly ToolUseBlock[])[]
  readonly results: readonly ToolResultMessage[]
  readonly milliseconds: number
}

/** A session of the offline guide over real tools: no loop, no gate, no journal. */
export interface GuideSession {
  readonly messages: Message[]
  /** Asks; `done` are steps that the transcript already has behind the question. */
  ask(question: string, done?: readonly Message[]): Promise<Exchange>
}

/** What a test may set. */
export interface SessionOptions {
  readonly guide?: InferenceClient | undefined
  /** The tools that are offered. Default: all three. */
  readonly tools?: readonly string[] | undefined
  readonly ripgrep?: string | false | undefined
  /** A transcript to go on with. */
  readonly messages?: readonly Message[] | undefined
}

/** Opens a session in a folder, which must be canonical. */
export async function openSession(root: string, options: SessionOptions = {}): Promise<GuideSession> {
  const { guide = offlineGuide(), messages = [] } = options
  const tools = (await workspaceTools(root, options.ripgrep)).filter(
    ({ info }) => options.tools?.includes(info.name) ?? true,
  )
  const transcript = [...messages]
  return {
    messages: transcript,
    ask: (question, done = []) => {
      transcript.push(userMessage(question), ...done)
      return exchange(guide, tools, transcript)
    },
  }
}

async function workspaceTools(root: string, ripgrep: string | false | undefined): Promise<readonly Tool[]> {
  const readGuard = createReadGuard({ deny: ['.env'], maxReadBytes: 256 * 1_024 })
  const bindings = { sessionId: uuidV7() as SessionId, loopId: uuidV7() as LoopId, workspace: { root } }
  const definitions = [
    globDefinition({ readGuard }),
    grepDefinition({ readGuard }, { ripgrep }),
    readFileDefinition({ readGuard }),
  ]
  return (await Promise.all(definitions.map((definition) => buildTools(definition, bindings)))).flat()
}

async function exchange(guide: InferenceClient, tools: readonly Tool[], messages: Message[]): Promise<Exchange> {
  const started = performance.now()
  const specs = tools.map(({ info }) => ({
    name: info.name,
    description: info.description,
    inputSchema: info.inputSchema,
  }))
  const steps: ToolUseBlock[][] = []
  const results: ToolResultMessage[] = []
  for (;;) {
    const request: InferenceRequest = { model: offlineGuideModel, messages, tools: specs }
    const { message } = await guide.invoke(request)
    messages.push(message)
    const calls = message.blocks.filter((block) => block.type === 'tool_use')
    if (calls.length === 0)
      return { text: textOf(message.blocks), steps, results, milliseconds: performance.now() - started }
    steps.push(calls)
    if (steps.length > 20) throw new Error('the guide does not come to an answer')
    const batch = await Promise.all(calls.map((call) => runCall(tools, call)))
    messages.push(...batch)
    results.push(...batch)
  }
}

async function runCall(tools: readonly Tool[], { id, name, input }: ToolUseBlock): Promise<ToolResultMessage> {
  const tool = tools.find(({ info }) => info.name === name)
  if (tool === undefined) throw new Error(`the guide called ${name}, which was not offered`)
  const executionId = uuidV7() as ToolExecutionId
  const context = { executionId, toolUseId: id, signal: new AbortController().signal }
  const argsJson = JSON.stringify(input)
  try {
    const { request, artifact } = await tool.prepareCall(context, argsJson)
    const result = await tool.invoke({ ...context, prepared: seal({ executionId, request, artifact }) }, argsJson)
    return { role: 'tool', toolUseId: id, isError: result.isError, blocks: result.content }
  } catch (error) {
    return { role: 'tool', toolUseId: id, isError: true, blocks: [{ type: 'text', text: String(error) }] }
  }
}
