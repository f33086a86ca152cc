import { describe, expect, it } from 'vitest'
import { fixtureNames, fixtureText, foldStream, foldText, piecesOf } from '../../support/chat-fixtures.ts'

const names = fixtureNames('.sse')
const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const
const matrix = names.flatMap((name) => Object.entries(lineEnds).map(([lineEnd, end]) => ({ name, lineEnd, end })))

const withLineEnds = (name: string, end: string): Buffer =>
  Buffer.from(fixtureText(`${name}.sse`).replaceAll('\n', end))

describe('ChatStreamDecoder behind SseReader', () => {
  it.each(matrix)('decodes $name with $lineEnd the same in pieces of 1, 2, 3 and 7 bytes', ({ name, end }) => {
    const expected = foldText(fixtureText(`${name}.sse`))
    const bytes = withLineEnds(name, end)

    const outcomes = [1, 2, 3, 7].map((size) => foldStream(piecesOf(bytes, size)))

    for (const outcome of outcomes) expect(outcome).toEqual(expected)
  })

  it.each(matrix)('decodes $name with $lineEnd the same when it is split at any byte', ({ name, end }) => {
    const expected = JSON.stringify(foldText(fixtureText(`${name}.sse`)))
    const bytes = withLineEnds(name, end)

    const wrong = offsets(bytes.length).filter(
      (at) => JSON.stringify(foldStream([bytes.subarray(0, at), bytes.subarray(at)])) !== expected,
    )

    expect(wrong).toEqual([])
  })

  it.each(names)('takes %s for truncated when it is cut before its end marker, and never fails otherwise', (name) => {
    const text = fixtureText(`${name}.sse`)
    const bytes = Buffer.from(text)
    const marker = Buffer.byteLength(text.slice(0, text.search(/"finish_reason":"[^"]|\[DONE\]|"error":\{/)))
    const whole = foldStream([bytes])

    const wrong = offsets(bytes.length).filter((at) => {
      const { response, error } = foldStream([bytes.subarray(0, at)])
      if (at < marker) return error !== 'truncated' || response.finish !== undefined
      return error !== undefined && error !== 'truncated' && error !== whole.error
    })

    expect(wrong).toEqual([])
  })
})

function offsets(length: number): number[] {
  return Array.from({ length }, (_, at) => at)
}
