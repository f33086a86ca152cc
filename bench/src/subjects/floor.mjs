/** The floor: the least that a loop can do, written by hand. It checks arguments, and has no events, limits or errors. */
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
  toolName,
} from '../script.mjs'

const inputSchema = z.strictObject({ a: z.number(), b: z.number(), note: z.string().optional() })

/** @type {import('../subjects.mjs').Prepare} */
export function prepare(turn) {
  return async () => {
    const seen = { calls: 0, characters: 0 }
    const stream = scriptedModel(turn)
    const messages = startMessages(turn)
    const readers = Array.from({ length: turn.readers }, () => (text) => {
      seen.characters += text.length
    })
    for (;;) {
      const calls = []
      let text = ''
      for await (const event of stream({ system: instructions, messages })) {
        if (event.type === 'call') calls.push({ ...event, raw: '' })
        else if (event.type === 'input') {
          calls.at(-1).raw += event.text
          if (turn.argumentPieces > 1) for (const read of readers) read(event.text)
        } else {
          text += event.text
          for (const read of readers) read(event.text)
        }
      }
      messages.push({ role: 'assistant', text, calls })
      if (calls.length === 0) return seen
      messages.push(...(await Promise.all(calls.map((call) => answerCall(call, seen)))))
    }
  }
}

/** @type {import('../subjects.mjs').Stall} */
export async function stall(turn, onRead) {
  let read = 0
  for await (const _ of scriptedModel(turn)()) await onRead(++read)
}

function startMessages({ earlier }) {
  const messages = Array.from({ length: earlier }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: earlierText,
  }))
  return [...messages, { role: 'user', text: question }]
}

async function answerCall({ id, name, raw }, seen) {
  if (name !== toolName) throw new Error(`there is no tool ${name}`)
  seen.calls += 1
  return { role: 'tool', id, text: add(inputSchema.parse(JSON.parse(raw))) }
}

function scriptedModel(turn) {
  const nextCalls = playTurn(turn)
  const pieces = rawInputPieces(turn)
  return async function* stream() {
    const ids = nextCalls()
    for (const id of ids) {
      yield { type: 'call', id, name: toolName }
      for (const [index, text] of pieces.entries()) {
        if (isBurst(index)) await nextBurst()
        yield { type: 'input', text }
      }
    }
    if (ids.length > 0) return
    for await (const text of textDeltas(turn.deltas, turn.produced)) yield { type: 'text', text }
  }
}
