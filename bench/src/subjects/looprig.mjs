/** Looprig on any of its stores: every step is committed to a journal before anyone sees it. */
import { defineLoop, defineRig, interactiveGate } from '@looprig/harness'
import { createInferenceStream } from '@looprig/inference'
import { defineTool, textResult } from '@looprig/tools'
import { z } from 'zod'
import {
  add,
  earlierText,
  instructions,
  isBurst,
  nextBurst,
  playTurn,
  question,
  rawInputPieces,
  textDeltas,
  toolDescription,
  toolName,
} from '../script.mjs'

/** The most calls of one turn: more steps are several turns of one session. */
const maxSteps = 400

const model = { provider: 'scripted', name: 'scripted' }

/** The turns of one session after earlier messages: their own 22 messages each must not count. */
const turnsAfterPast = 10

/**
 * Makes the `prepare` of a store. A turn has a session of its own; after earlier messages, a few turns have one.
 *
 * @param {() => import('@looprig/store').Store} openStore
 * @returns {import('../subjects.mjs').Prepare}
 */
export function prepareOn(openStore) {
  return async (turn) => {
    const { rig, script, seen } = openRig(turn, openStore())
    let kept
    const play = async () => {
      Object.assign(seen, { calls: 0, characters: 0 })
      const session = kept ?? (await rig.newSession())
      await playTurns(session, script, seen)
      if (kept === undefined) await session.shutdown()
      return seen
    }
    const renew = async () => {
      await kept?.shutdown()
      kept = await sessionWithPast(rig, script)
    }
    return turn.earlier === 0 ? play : Object.assign(play, { renew, turnsOfBout: turnsAfterPast })
  }
}

/**
 * A rig whose model plays `script`: set its turn and its calls, then submit.
 *
 * @param {import('../works.mjs').Turn} turn
 * @param {import('@looprig/store').Store} store
 * @param {'allow' | 'ask'} [access] what configuration says of an effect.
 */
export function openRig(turn, store, access = 'allow') {
  const script = { turn, nextCalls: playTurn(turn), answer: undefined }
  const seen = { calls: 0, characters: 0 }
  const loop = defineLoop({
    name: 'bench',
    system: instructions,
    client: scriptedClient(script),
    model,
    tools: [turn.hasEffect ? effectfulTool(seen) : pureTool(seen)],
    gate: interactiveGate({ access: [{ kinds: [effect.kind], accessFor: () => access }] }),
    limits: { iterations: maxSteps, calls: maxSteps, parallel: 64 },
  })
  return { rig: defineRig({ loops: [loop], store }), script, seen }
}

/** Plays the script's turn once: as several turns when it is too long for one. */
export async function playTurns(session, script, seen) {
  const { turn } = script
  for (let left = turn.steps; left > 0 || left === turn.steps; left -= maxSteps) {
    script.nextCalls = playTurn({ ...turn, steps: Math.min(left, maxSteps) })
    // of several turns the last one's answer counts
    seen.characters = 0
    await readTurn(session, turn, seen)
  }
}

/**
 * Plays a turn for one reader that is told of each delta that it reads.
 *
 * @param {() => import('@looprig/store').Store} openStore
 * @returns {import('../subjects.mjs').Stall}
 */
export function stallOn(openStore) {
  return async (turn, onRead) => {
    const { rig } = openRig(turn, openStore())
    const session = await rig.newSession()
    let read = 0
    for await (const { event } of session.submit(question)) {
      if (event.type !== 'TokenDelta') continue
      read += 1
      await onRead(read)
    }
    await session.shutdown()
  }
}

const inputSchema = z.strictObject({ a: z.number(), b: z.number(), note: z.string().optional() })

function pureTool(seen) {
  return defineTool({
    name: toolName,
    description: toolDescription,
    pure: true,
    inputSchema,
    run: (input) => {
      seen.calls += 1
      return textResult(add(input))
    },
  })
}

/** What the effect needs, and what a gate judges: of no use to anybody else. */
const effect = { kind: 'bench.add', scope: 'numbers', match: 'numbers', description: 'add two numbers' }

function effectfulTool(seen) {
  return defineTool({
    name: toolName,
    description: toolDescription,
    inputSchema,
    prepare: ({ a, b }) => ({ summary: 'add two numbers', artifact: { a, b }, requirements: [effect] }),
    run: (artifact) => {
      seen.calls += 1
      return textResult(add(artifact))
    },
  })
}

async function readTurn(session, turn, seen) {
  const readers = Array.from({ length: turn.readers - 1 }, () => session.subscribe())
  const submission = session.submit(question)
  const read = [submission, ...readers].map((events) => readEvents(session, events, turn, seen))
  const { status, error } = await submission.result()
  await Promise.all(read)
  if (status !== 'done') throw new Error(`the turn ended as ${status}: ${error?.message}`)
}

async function readEvents(session, events, turn, seen) {
  for await (const { event } of events) {
    if (event.type === 'TokenDelta') seen.characters += event.text.length
    if (event.type === 'ToolInputDelta' && turn.argumentPieces > 1) seen.characters += event.text.length
    if (event.type === 'PermissionRequested') await session.answer(event.gateId, { action: 'approve' })
    // a subscription does not end with the turn
    if (event.type === 'TurnDone') return
  }
}

/** Plays the earlier messages as turns with an answer and no call. */
async function sessionWithPast(rig, script) {
  const { earlier } = script.turn
  const session = await rig.newSession()
  script.nextCalls = () => []
  script.answer = earlierText
  for (let messages = 0; messages < earlier; messages += 2) await session.submit(earlierText).result()
  script.answer = undefined
  if (session.history().length !== earlier) throw new Error('the earlier messages are not there')
  return session
}

function scriptedClient(script) {
  const stream = (_request, { signal } = {}) => createInferenceStream(() => events(script), signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

async function* events({ turn, nextCalls, answer }) {
  const ids = nextCalls()
  for (const [blockIndex, id] of ids.entries()) {
    yield { type: 'block_start', blockIndex, block: { type: 'tool_use', id, name: toolName } }
    for (const [index, text] of rawInputPieces(turn).entries()) {
      if (isBurst(index)) await nextBurst()
      yield { type: 'tool_input_delta', blockIndex, text }
    }
    yield { type: 'block_end', blockIndex }
  }
  if (ids.length === 0) {
    yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
    const pieces = answer === undefined ? textDeltas(turn.deltas, turn.produced) : [answer]
    for await (const text of pieces) yield { type: 'text_delta', blockIndex: 0, text }
    yield { type: 'block_end', blockIndex: 0 }
  }
  const usage = { inputTokens: 1, outputTokens: 1 }
  yield { type: 'finish', reason: ids.length > 0 ? 'tool_use' : 'stop', usage, model: 'scripted' }
}
