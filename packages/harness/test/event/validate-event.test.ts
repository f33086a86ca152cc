import type { LoopId, Message, StepId, TurnId } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { type EnduringBody, InvalidEventError, validateEvent } from '../../src/index.ts'
import { goldenBodies } from './golden-bodies.ts'

const scope = { loopId: 'l' as LoopId, turnId: 't' as TurnId, stepId: 's' as StepId }
const call = (id: string) => ({ type: 'tool_use', id, name: 'x', input: {} })
const assistant = (...blocks: object[]) => ({ role: 'assistant', blocks })
const text = { type: 'text', text: 'a' }
const result = (toolUseId: string) => ({ role: 'tool', toolUseId, isError: false, blocks: [text] })
const user = { role: 'user', blocks: [text] }

/** What is wrong with a StepDone of these messages, which may be anything. */
function judge(messages: unknown): unknown {
  try {
    validateEvent({ type: 'StepDone', ...scope, messages: messages as readonly Message[] } as unknown as EnduringBody)
    return 'valid'
  } catch (error) {
    return error
  }
}

describe('validateEvent', () => {
  it.each(Object.entries(goldenBodies))('takes %s', (_, body) => {
    expect(() => validateEvent(JSON.parse(body))).not.toThrow()
  })

  it.each([
    ['an answer without calls', [assistant(text)]],
    ['one result per call, in call order', [assistant(text, call('a'), call('b')), result('a'), result('b')]],
    ['calls between other blocks', [assistant(call('a'), text, call('b')), result('a'), result('b')]],
  ])('takes a StepDone with %s', (_, messages) => {
    expect(judge(messages)).toBe('valid')
  })

  it.each([
    ['no message', []],
    ['a user message first', [user]],
    ['a result first', [result('a')]],
    ['a system message first', [{ role: 'system', blocks: [text] }]],
    ['null', [null]],
    ['an answer without blocks', [{ role: 'assistant' }]],
    ['two answers', [assistant(text), assistant(text)]],
    ['a result too many', [assistant(text), result('a')]],
    ['a result too few', [assistant(call('a'), call('b')), result('a')]],
    ['results in another order', [assistant(call('a'), call('b')), result('b'), result('a')]],
    ['a result twice', [assistant(call('a'), call('b')), result('a'), result('a')]],
    ['a result of another call', [assistant(call('a')), result('c')]],
    ['a user message for a result', [assistant(call('a')), user]],
    ['null for a result', [assistant(call('a')), null]],
    ['two calls with one id', [assistant(call('a'), call('a')), result('a'), result('a')]],
  ])('refuses a StepDone with %s', (_, messages) => {
    const error = judge(messages)

    expect(error).toBeInstanceOf(InvalidEventError)
    expect(error).toMatchObject({
      code: 'event_invalid',
      event: 'StepDone',
      field: 'messages',
      rule: 'is invalid',
      message: 'StepDone: messages is invalid',
    })
  })

  it.each([undefined, null, 'text', {}])('refuses a StepDone whose messages are %j', (messages) => {
    expect(judge(messages)).toMatchObject({ event: 'StepDone', field: 'messages', rule: 'must be set' })
  })

  it('refuses a type that it does not know', () => {
    const validate = () => validateEvent({ type: 'Later' } as unknown as EnduringBody)

    expect(validate).toThrow(
      expect.objectContaining({ event: 'Later', field: 'type', rule: 'is not a known event type' }),
    )
  })
})
