/** Texts come back byte for byte. */
import assert from 'node:assert/strict'

import type { AddCase } from './case.ts'
import { newRecord } from './new-record.ts'

export function addBodyCases(add: AddCase): void {
  const addText = (what: string, body: string) =>
    add(`gives back ${what}`, async (bench) => {
      const lease = await bench.store.leases.acquire('a')

      await bench.committed(lease, [newRecord('before'), newRecord('text', body), newRecord('after')])

      const [, record] = await bench.records('a')
      assert.ok(record?.body === body, 'the body is another')
    })

  addText('an empty body', '')
  addText('a body with U+0000', 'before\0after')
  addText('a body with a byte order mark in front', '\ufeff{}')
  addText('a JSON text with the escape of half a surrogate pair', '{"text":"\\ud83d","nul":"\\u0000"}')
  addText('a body whose keys are not in order and that has odd spaces', '{ "b":1,\r\n\t"a" : 1.0 }')
  addText('a body of characters of one to four bytes', 'a\u00e9\u20ac\u{1f600}\u2028\u0085')
  addText('a body that is no JSON', "'; DROP TABLE records; --")
  addText('a body of 256 KiB', 'x'.repeat(256 * 1024))
  addText('a body of 256 KiB and one byte', 'x'.repeat(256 * 1024 + 1))
  addText('a body of 300 KiB with U+0000 and four-byte characters', '\0\u{1f600}x'.repeat(50 * 1024))

  add('gives back ids with U+0000, quotes and four-byte characters, and finds them taken', async (bench) => {
    const lease = await bench.store.leases.acquire('a')
    const ids = ['a\0b', 'a', '\'"', '\u{1f600}'.repeat(64)]
    await bench.committed(lease, [...ids.map((id) => newRecord(id))])

    const again = await bench.append(lease, [newRecord('a\0b', '"other"')])

    assert.deepEqual(
      (await bench.records('a')).map((record) => record.id),
      ids,
    )
    assert.deepEqual(again, { outcome: 'slot_taken', ids: ['a\0b'] })
  })
}
