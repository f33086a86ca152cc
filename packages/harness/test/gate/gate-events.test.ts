import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { decodeEventBody } from '../../src/event/event-codec.ts'
import { goldenBodies } from '../event/golden-bodies.ts'

function decode(type: keyof typeof goldenBodies, more: object) {
  const body = { ...JSON.parse(goldenBodies[type]), ...more }
  return decodeEventBody({ ...newRecord('r', JSON.stringify(body)), seq: 1, at: 1 })
}

const candidate = { kind: 'k', match: 'm', description: 'd' }
const rule = { effect: 'allow', kind: 'k', match: 'm' }

describe('a stored event of a gate', () => {
  it.each<[keyof typeof goldenBodies, object]>([
    ['PermissionRequested', { candidates: [candidate], timeoutMs: 1, actions: ['approve', 'approve_always', 'deny'] }],
    ['UserInputRequested', { live: true, question: { text: 'Why?' } }],
    ['PermissionDecided', { reason: 'rule_allowed', effect: 'approve', rule }],
    ['PermissionDecided', { reason: 'gate_capacity' }],
    ['GateResolved', { action: 'approve_always', rules: [candidate] }],
    ['GateResolved', { reason: 'rule', rule }],
    ['GateResolved', { reason: 'denied', denial: 'approval_required' }],
    ['GateResolved', { reason: 'answered', answer: '' }],
    ['GateResolved', { reason: 'timeout' }],
  ])('keeps what %s may also hold: %j', (type, more) => {
    expect(decode(type, more)).toMatchObject(more)
  })

  it.each<[keyof typeof goldenBodies, object]>([
    ['PermissionRequested', { timeoutMs: 0 }],
    ['PermissionRequested', { actions: ['allow'] }],
    ['UserInputRequested', { live: false }],
    ['PermissionDecided', { rule: { ...rule, effect: 'ask' } }],
    ['GateResolved', { reason: 'mood' }],
    ['GateResolved', { denial: 'mood' }],
    ['GateResolved', { rules: [{}] }],
  ])('is refused when %s holds %j', (type, more) => {
    expect(() => decode(type, more)).toThrow()
  })
})
