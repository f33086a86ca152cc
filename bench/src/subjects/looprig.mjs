/** Looprig on any of its stores: every step is committed to a journal before anyone sees it. */
import { defineLoop, defineRig } from '@looprig/harness'
import { createInferenceStream } from '@looprig/inference'
import { defineTool, textResult } from '@looprig/tools'
import { z } from 'zod'
import {
  add,
  earlierText,
  instructions,
  playTurn,
  question,
  rawInput,
  textDeltas,
  toolDescription,
  toolName,
} from '../script.mjs'

const model = { provider: 'scripted', name: 'scripted' }

/**
 * Makes the `prepare` of a store. A turn has a session of its own, except after earlier messages: that session is made
 * once and grows with each turn.
 *
 * @param {() => import('@looprig/store').Store} openStore
 * @returns {import('../subjects.mjs').Prepare}
 */
export function prepareOn(openStore) {
  return async (turn) => {
    const script = { turn, nextCalls: playTurn(turn) }
    const seen = { calls: 0, characters: 0 }
    const rig = defineRig({ loops: [defineLoopOf(script, seen)], store: openStore() })
    const kept = turn.earlier > 0 ? await sessionWithPast(rig, script) : undefined
    return async () => {
      script.turn = turn
      script.nextCalls = playTurn(turn)
      Object.assign(seen, { calls: 0, characters: 0 })
      const session = kept ?? (await rig.newSession())
      await readTurn(session, seen)
      if (kept === undefined) await session.shutdown()
      return seen
    }
  }
}

function defineLoopOf(script, seen) {
  const tool = defineTool({
    name: toolName,
    description: toolDescription,
    pure: true,
    inputSchema: z.strictObject({ a: z.number(), b: z.number() }),
    run: (input) => {
      seen.calls += 1
      return textResult(add(input))
    },
  })
  const limits = { iterations: 400, calls: 400, parallel: 64 }
  return defineLoop({
    name: 'bench',
    system: instructions,
    client: scriptedClient(script),
    model,
    tools: [tool],
    limits,
  })
}

async function readTurn(session, seen) {
  const submission = session.submit(question)
  for await (const { event } of submission) {
    if (event.type === 'TokenDelta') seen.characters += event.text.length
  }
  const { status, error } = await submission.result()
  if (status !== 'done') throw new Error(`the turn ended as ${status}: ${error?.message}`)
}

/** Plays the earlier messages as turns with an answer and no call. */
async function sessionWithPast(rig, script) {
  const { turn } = script
  const session = await rig.newSession()
  script.turn = { ...turn, text: earlierText }
  script.nextCalls = () => []
  for (let messages = 0; messages < turn.earlier; messages += 2) await session.submit(earlierText).result()
  if (session.history().length !== turn.earlier) throw new Error('the earlier messages are not there')
  return session
}

function scriptedClient(script) {
  const stream = (_request, { signal } = {}) => createInferenceStream(() => events(script), signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

async function* events({ turn, nextCalls }) {
  const ids = nextCalls()
  for (const [blockIndex, id] of ids.entries()) {
    yield { type: 'block_start', blockIndex, block: { type: 'tool_use', id, name: toolName } }
    yield { type: 'tool_input_delta', blockIndex, text: rawInput }
    yield { type: 'block_end', blockIndex }
  }
  if (ids.length === 0) {
    yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
    const pieces = turn.text === undefined ? textDeltas(turn.deltas) : [turn.text]
    for await (const text of pieces) yield { type: 'text_delta', blockIndex: 0, text }
    yield { type: 'block_end', blockIndex: 0 }
  }
  const usage = { inputTokens: 1, outputTokens: 1 }
  yield { type: 'finish', reason: ids.length > 0 ? 'tool_use' : 'stop', usage, model: 'scripted' }
}
