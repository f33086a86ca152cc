import type { Delivery } from '@looprig/harness'
import { describe, expect, it } from 'vitest'
import { Screen } from '../../src/render/screen.ts'
import { formatDuration, TextRenderer } from '../../src/render/text.ts'
import { Capture } from '../capture.ts'

/** Fills in what no renderer reads. */
function delivery(event: object): Delivery {
  const scope = { sessionId: 's', loopId: 'l', turnId: 't', stepId: 'p1', inputId: 'i', turnIndex: 1 }
  return { seq: null, event: { ...scope, ...event } } as unknown as Delivery // proved: the tests give the fields used
}

async function render(events: readonly object[], options = { progress: true, isTTY: false }) {
  const [stdout, stderr] = [new Capture(options.isTTY), new Capture(options.isTTY)]
  const renderer = new TextRenderer(new Screen(stdout, stderr, false), options)
  for (const event of events) await renderer.event(delivery(event))
  return { stdout: stdout.text, stderr: stderr.text }
}

const token = (text: string, more: object = {}) => ({ type: 'TokenDelta', blockIndex: 0, text, ...more })
const stepDone = (texts: readonly string[], more: object = {}) => ({
  type: 'StepDone',
  messages: [{ role: 'assistant', blocks: texts.map((text) => ({ type: 'text', text })) }],
  ...more,
})
const started = { type: 'ToolCallStarted', toolExecutionId: 'x', toolName: 'ReadFile', summary: 'ReadFile a.ts' }
const completed = { type: 'ToolCallCompleted', toolExecutionId: 'x', toolName: 'ReadFile', durationMs: 12 }

describe('TextRenderer', () => {
  it('prints steps as they stream, each on lines of its own', async () => {
    const events = [
      token('Let me '),
      token('look.'),
      started,
      { ...completed, isError: false, resultPreview: '1\tx' },
      stepDone(['Let me look.']),
      token('Here.\n', { stepId: 'p2' }),
      stepDone(['Here.\n'], { stepId: 'p2' }),
      { type: 'TurnDone', usage: {} },
    ]

    expect(await render(events)).toEqual({ stdout: 'Let me look.\nHere.\n', stderr: '  ReadFile a.ts … 12 ms\n' })
  })

  it('prints no progress when it is off', async () => {
    const events = [started, { ...completed, isError: false, resultPreview: '' }, token('a'), stepDone(['a'])]

    expect(await render(events, { progress: false, isTTY: false })).toEqual({ stdout: 'a\n', stderr: '' })
  })

  it('tells why a call failed', async () => {
    const events = [
      { ...started, summary: 'ReadFile' },
      { ...completed, isError: true, resultPreview: 'read denied: .env\nmore' },
    ]

    expect((await render(events)).stderr).toBe('  ReadFile … 12 ms: read denied: .env\n')
  })

  it('joins a character that is cut between two deltas', async () => {
    const events = [token('x\ud83d'), token('\ude00y'), stepDone(['x😀y'])]

    expect((await render(events)).stdout).toBe('x😀y\n')
  })

  it('prints what no delta brought', async () => {
    expect((await render([stepDone(['whole'])])).stdout).toBe('whole\n')
    expect((await render([token('par'), stepDone(['partial', '[cut off]'])])).stdout).toBe('partial\n[cut off]\n')
  })

  it('prints the whole text again when pieces of it were lost', async () => {
    expect((await render([token('ab'), token('ef'), stepDone(['abcdef'])])).stdout).toBe('abef\nabcdef\n')
  })

  it('starts a new line for each block', async () => {
    const events = [token('a'), token('b', { blockIndex: 2 }), stepDone(['a', 'b'])]

    expect((await render(events)).stdout).toBe('a\nb\n')
  })

  it('tells an error after the text that came before it', async () => {
    const events = [token('par'), { type: 'TurnFailed', error: { code: 'network', message: 'gone' } }]

    expect(await render(events)).toEqual({ stdout: 'par\n', stderr: 'error: network: gone\n' })
  })

  it('tells of retries, interrupts and questions that were not asked', async () => {
    const message = { role: 'user', blocks: [{ type: 'text', text: 'Why?' }] }
    const events = [
      { type: 'Retrying', attempt: 1, delayMs: 2_000, code: 'rate_limited' },
      { type: 'TurnInterrupted' },
      { type: 'InputCancelled', reason: 'turn_failed', message },
    ]

    expect((await render(events)).stderr).toBe(
      '  retrying in 2 s (rate_limited)\ninterrupted\nnot asked, because the turn before it failed: Why?\n',
    )
  })

  it('repeats a question that waited', async () => {
    const message = { role: 'user', blocks: [{ type: 'text', text: 'Why?' }] }
    const events = [{ type: 'InputQueued' }, { type: 'TurnStarted', message }]

    expect((await render(events)).stderr).toBe('  queued\n> Why?\n')
  })

  it('keeps a tool line free of the answer on a terminal', async () => {
    const { stdout } = await render([token('Let me'), started], { progress: true, isTTY: true })

    expect(stdout).toBe('Let me\n')
  })
})

describe('formatDuration', () => {
  it('takes the unit that fits', () => {
    expect([0, 12.4, 999, 1_000, 1_250, 61_000].map(formatDuration)).toEqual([
      '0 ms',
      '12 ms',
      '999 ms',
      '1 s',
      '1.3 s',
      '61 s',
    ])
  })
})
