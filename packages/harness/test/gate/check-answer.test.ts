import type { GateId, LoopId, StepId, ToolExecutionId, TurnId } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { answeredGate, checkAnswer, type KnownGate } from '../../src/gate/check-answer.ts'
import type { GateAnswer, OpenGate } from '../../src/index.ts'

const gateId = 'gate' as GateId
const scope = {
  loopId: 'loop' as LoopId,
  turnId: 'turn' as TurnId,
  stepId: 'step' as StepId,
  gateId,
  toolExecutionId: 'call' as ToolExecutionId,
}
const candidate = { kind: 'k', match: 'm', description: 'd' }
const permission: OpenGate = {
  ...scope,
  kind: 'permission',
  request: { toolName: 't', summary: 's', requirements: [] },
  unmet: [],
  actions: ['approve', 'approve_always', 'deny'],
  candidates: [candidate],
  expiresAtMs: 1_000,
}
const question: OpenGate = { ...scope, kind: 'question', question: { text: 'Which?', choices: ['a'] } }

function outcome(known: KnownGate | undefined, answer: unknown, now?: number): unknown {
  try {
    return checkAnswer(gateId, known, answer as GateAnswer, now)
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('checkAnswer', () => {
  it.each<[string, KnownGate | undefined, unknown, string]>([
    ['a gate that is not there', undefined, { action: 'approve' }, 'gate_not_found'],
    ['the first answer', { open: permission }, { action: 'deny' }, 'fresh'],
    ['an action that is not offered', { open: permission }, { action: 'always' }, 'action_invalid'],
    ['no answer', { open: permission }, null, 'action_invalid'],
    ['a text for a permission', { open: permission }, { answer: 'a' }, 'kind_mismatch'],
    ['an action for a question', { open: question }, { action: 'approve' }, 'kind_mismatch'],
    ['a choice', { open: question }, { answer: 'a' }, 'fresh'],
    ['no choice', { open: question }, { answer: 'b' }, 'answer_invalid'],
    ['the same action', { resolved: { reason: 'answered', action: 'deny' } }, { action: 'deny' }, 'repeated'],
    ['another action', { resolved: { reason: 'answered', action: 'deny' } }, { action: 'approve' }, 'already_resolved'],
    ['the same text', { resolved: { reason: 'answered', answer: 'a' } }, { answer: 'a' }, 'repeated'],
    ['another text', { resolved: { reason: 'answered', answer: 'a' } }, { answer: 'b' }, 'already_resolved'],
    [
      'an action after a text',
      { resolved: { reason: 'answered', answer: '' } },
      { action: 'deny' },
      'already_resolved',
    ],
    ['an answer after the time', { resolved: { reason: 'timeout' } }, { action: 'deny' }, 'already_resolved'],
    ['nothing after an abandonment', { resolved: { reason: 'abandoned' } }, undefined, 'already_resolved'],
  ])('judges %s', (_name, known, answer, expected) => {
    expect(outcome(known, answer)).toBe(expected)
  })

  it('refuses an answer to a gate whose time is over, where the store’s time is known', () => {
    expect(outcome({ open: permission }, { action: 'approve' }, 999)).toBe('fresh')
    expect(outcome({ open: permission }, { action: 'approve' }, 1_000)).toBe('gate_expired')
    expect(outcome({ open: permission }, { action: 'approve' })).toBe('fresh')
    expect(outcome({ open: question }, { answer: 'a' }, 1_000_000)).toBe('fresh')
  })
})

describe('answeredGate', () => {
  it('names the displayed candidates as rules with approve_always, and with nothing else', () => {
    expect(answeredGate(permission, { action: 'approve_always' })).toMatchObject({ rules: [candidate] })
    expect(answeredGate(permission, { action: 'approve' })).not.toHaveProperty('rules')
  })

  it('records nothing that the caller put beside the answer', () => {
    const answer = { action: 'approve', by: 'ann', rules: [{ match: '*' }], reason: 'rule' } as unknown as GateAnswer

    expect(answeredGate(permission, answer)).toEqual({
      type: 'GateResolved',
      ...scope,
      reason: 'answered',
      action: 'approve',
      by: 'ann',
    })
  })
})
