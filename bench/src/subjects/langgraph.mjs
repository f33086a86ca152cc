/**
 * LangGraph: the usual graph of a model node and a tool node. A turn with steps is read as `updates`, whole messages and
 * much cheaper; a turn of text alone as `messages`, piece by piece.
 */
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import {
  add,
  callInput,
  earlierText,
  instructions,
  playTurn,
  question,
  textDeltas,
  toolDescription,
  toolName,
} from '../script.mjs'

// Otherwise callbacks run behind the graph, and its stream ends before they have told of all the text.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'

/** @type {import('../subjects.mjs').Prepare} */
export function prepare(turn) {
  const messages = Array.from({ length: turn.earlier }, (_, index) =>
    index % 2 === 0 ? new HumanMessage(earlierText) : new AIMessage(earlierText),
  )
  return async () => {
    const seen = { calls: 0, characters: 0 }
    const graph = compileGraph(new ScriptedModel(turn), addTool(seen))
    const input = { messages: [...messages, new HumanMessage(question)] }
    const streamMode = turn.steps > 0 ? 'updates' : 'messages'
    for await (const part of await graph.stream(input, { streamMode, recursionLimit: turn.steps * 2 + 2 })) {
      const message = streamMode === 'messages' ? part[0] : part.model?.messages[0]
      seen.characters += message?.text.length ?? 0
    }
    return seen
  }
}

function addTool(seen) {
  const run = (input) => {
    seen.calls += 1
    return add(input)
  }
  const schema = z.strictObject({ a: z.number(), b: z.number() })
  return tool(run, { name: toolName, description: toolDescription, schema })
}

function compileGraph(model, addNumbers) {
  const system = new SystemMessage(instructions)
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async (state, config) => ({
      messages: [await model.invoke([system, ...state.messages], config)],
    }))
    .addNode('tools', new ToolNode([addNumbers], { handleToolErrors: false }))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, ['tools', END])
    .addEdge('tools', 'model')
    .compile()
}

class ScriptedModel extends BaseChatModel {
  #turn
  #nextCalls

  constructor(turn) {
    super({})
    this.#turn = turn
    this.#nextCalls = playTurn(turn)
  }

  _llmType() {
    return 'scripted'
  }

  async _generate() {
    const calls = this.#nextCalls()
    const tool_calls = calls.map((id) => ({ type: 'tool_call', id, name: toolName, args: { ...callInput } }))
    let text = ''
    if (calls.length === 0) for await (const piece of textDeltas(this.#turn.deltas)) text += piece
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] }
  }

  async *_streamResponseChunks(_messages, _options, runManager) {
    for await (const text of textDeltas(this.#turn.deltas)) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) })
      // a model tells its callbacks of every piece; the stream of messages is made of that
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk })
      yield chunk
    }
  }
}
