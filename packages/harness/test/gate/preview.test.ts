import { memoryStore } from '@looprig/store/memory'
import type { PreparedRequest, Tool, ToolDefinition } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, calling, openSession } from '../session/open-session.ts'
import { askingTool } from './asking-tool.ts'
import { permissions, questions } from './open-gates.ts'

/** Has the model call `touch` and stops where a person is asked. */
async function askFor(tool: ToolDefinition) {
  const store = memoryStore()
  const opened = await openSession({
    responses: [calling({ name: 'touch', input: { value: 'a' } }), { text: 'ok' }],
    tools: [tool],
    gate: interactiveGate({ access: [allowing('ask')] }),
    store,
  })
  const submission = opened.session.submit('Go')
  await opened.session.waitIdle({ orWaiting: true })
  return { ...opened, store, submission }
}

/** A tool that is not of `defineTool`: its preparation is what `prepared` makes of the real one. */
function foreign(prepared: (real: PreparedRequest) => PreparedRequest): ToolDefinition {
  const inner = askingTool()
  return {
    ...inner,
    build: async (bindings) =>
      (await inner.build(bindings)).map(
        (tool): Tool => ({
          info: tool.info,
          replaySafe: false,
          sequential: false,
          prepareCall: async (context, args) => prepared(await tool.prepareCall(context, args)),
          invoke: (context, args) => tool.invoke(context, args),
          writeTarget: () => undefined,
          auditSummary: () => 'touch',
        }),
      ),
  }
}

describe('a preview', () => {
  it('is shown with the open gate, and is in no record, event or request to the model', async () => {
    const preview = { kind: 'diff' as const, text: '-PREVIEW\n+preview' }
    const { session, store, recording, requests, submission } = await askFor(
      askingTool({ prepared: () => ({ preview }) }),
    )
    const [open] = permissions(session)
    if (open !== undefined) await session.answer(open.gateId, { action: 'approve' })
    await submission.result()

    const told = JSON.stringify([await readRecords(store, session.id), recording.deliveries, requests])
    expect(open?.preview).toEqual(preview)
    expect(told).not.toContain('PREVIEW')
  })

  it('of a tool of one’s own is copied and cut: what the tool changes later is not shown', async () => {
    const preview = { kind: 'text' as const, text: 'x'.repeat(20_000) }
    const { session } = await askFor(foreign((real) => ({ ...real, preview })))

    preview.text = 'harmless'

    expect(permissions(session)[0]?.preview).toEqual({ kind: 'text', text: 'x'.repeat(16_384), truncated: true })
  })

  it('that is none keeps the call from being asked for', async () => {
    const { session, types } = await askFor(foreign((real) => ({ ...real, preview: { kind: 'html' } as never })))

    expect(session.gates()).toEqual([])
    expect(await types()).not.toContain('PermissionRequested')
  })
})

describe('a question of a tool of one’s own', () => {
  it('is copied: what the tool changes later is not asked', async () => {
    const question = { text: 'Which?', choices: ['a'] }
    const bare = (real: PreparedRequest) => ({ ...real, request: { ...real.request, requirements: [] }, question })
    const { session } = await askFor(foreign(bare))

    question.choices.push('b')

    expect(questions(session)[0]?.question).toEqual({ text: 'Which?', choices: ['a'] })
  })
})
