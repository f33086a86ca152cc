import { describe, expect, it } from 'vitest'
import { type DriftChange, formatDrift, RestoreRejectedError } from '../../src/index.ts'

function change(part: Partial<DriftChange>): DriftChange {
  return { field: 'rig', category: 'display', severity: 'info', recorded: 'a', present: 'b', ...part }
}

function fields(count: number): readonly DriftChange[] {
  return Array.from({ length: count }, (_, index) => change({ field: `app.f${index}` }))
}

describe('formatDrift', () => {
  it('shows what matters most first, in columns', () => {
    const table = formatDrift({
      changes: [
        change({ field: 'app.version', recorded: '1', present: '2' }),
        change({ field: 'loops.main.tools.look', severity: 'warn', recorded: 'ab'.repeat(32), present: '' }),
      ],
    })

    expect(table).toBe(
      [
        '      changed                recorded      now',
        'warn  loops.main.tools.look  abababababab  -',
        'info  app.version            1             2',
      ].join('\n'),
    )
  })

  it('keeps both ends of a long value', () => {
    const [, row] = formatDrift({ changes: [change({ recorded: `/home/${'x'.repeat(200)}/project` })] }).split('\n')

    expect(row).toMatch(/ {2}\/home\/x+…x+\/project {2}b$/)
    expect(row?.length).toBeLessThan(80)
  })

  it.each([
    ['an escape sequence', '\u001b[31mred\u001b[0m', ' [31mred [0m'.trim()],
    ['line ends', 'a\r\nwarn  b', 'a warn  b'],
    ['a change of direction', 'a\u202eb', 'a b'],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['nothing to show', '\u0007\u200b', '-'],
  ])('shows %s as plain text of one line', (_, value, shown) => {
    const [, row, ...more] = formatDrift({ changes: [change({ present: value })] }).split('\n')

    expect(row).toBe(`info  rig      a         ${shown}`)
    expect(more).toEqual([])
  })

  it('counts the rows that it leaves out', () => {
    const lines = formatDrift({ changes: fields(60) }).split('\n')

    expect(lines).toHaveLength(52)
    expect(lines.at(-1)).toBe('and 10 more')
  })
})

describe('RestoreRejectedError', () => {
  it('names fields in its message, warnings first, and no value', () => {
    const warning = change({ field: 'workspace', severity: 'warn', recorded: '/secret/a', present: '/secret/b' })

    const { message } = new RestoreRejectedError([...fields(8), warning], 'rejected')

    expect(message).toBe(
      'the session was made with another configuration (rejected): ' +
        'workspace, app.f0, app.f1, app.f2, app.f3, app.f4 and 3 more',
    )
  })
})
