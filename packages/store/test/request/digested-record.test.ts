import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digestRecord, type NewRecord } from '../../src/index.ts'
import { memoryStore } from '../../src/memory.ts'

const made = digestRecord({ id: 'a', kind: 'event', body: '{"v":1}' })

async function append(record: NewRecord) {
  const { ledger, leases } = memoryStore()
  const { session, epoch } = await leases.acquire('s')
  const answer = ledger.append({ session, epoch, records: [record] })
  return answer.then(
    ({ outcome }) => outcome,
    (error: { code: string; field: string }) => `${error.code} ${error.field}`,
  )
}

describe('digestRecord', () => {
  it('makes a record with the SHA-256 of its body', () => {
    expect({ ...made }).toEqual({
      id: 'a',
      kind: 'event',
      body: '{"v":1}',
      digest: createHash('sha256').update('{"v":1}').digest('hex'),
    })
  })

  it('makes one that nothing can change', () => {
    expect(Object.isFrozen(made)).toBe(true)
  })

  it('is not needed: a record with the right digest is taken too', async () => {
    expect(await append(made)).toBe('ok')
    expect(await append({ ...made })).toBe('ok')
  })

  it.each<readonly [string, NewRecord]>([
    ['a copy', { ...made, body: '{"v":2}' }],
    ['an heir', Object.create(made, { body: { value: '{"v":2}' } })],
  ])('vouches for nothing else: %s with another body is refused', async (_, record) => {
    expect(await append(record)).toBe('invalid records[0].digest')
  })
})
