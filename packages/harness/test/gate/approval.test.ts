import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InputId } from '@looprig/core'
import { defineTool, type Tool, type ToolDefinition, type ToolRequest, textResult } from '@looprig/tools'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Gate, interactiveGate } from '../../src/index.ts'
import { allowing, calling, delivered, openSession, requirement, resultTexts } from '../session/open-session.ts'
import { permissions } from './open-gates.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'looprig-approval-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** Creates the file that it was approved for. Tests get at what `prepare` returned, and change it. */
function createTool(root: string, leak: (preparation: { artifact: { name: string } }) => unknown = () => undefined) {
  return defineTool({
    name: 'create',
    description: 'Creates a file.',
    inputSchema: z.strictObject({ name: z.string() }),
    prepare: ({ name }) => {
      const preparation = { summary: `create ${name}`, artifact: { name }, requirements: [requirement(name)] }
      leak(preparation)
      return preparation
    },
    run: async ({ name }) => {
      await writeFile(join(root, name), '')
      return textResult(`created ${name}`)
    },
  })
}

const asking = () => interactiveGate({ access: [allowing('ask')] })

/** Has the model call `create` for `good`, and stops where a person is asked. */
async function askFor(tool: ToolDefinition, gate: Gate = asking()) {
  const responses = [calling({ name: 'create', input: { name: 'good' } }), { text: 'ok' }]
  const opened = await openSession({ responses, tools: [tool], gate })
  const submission = opened.session.submit('Go')
  const requested = await opened.recording.waitFor('PermissionRequested')
  const approve = async () => {
    await opened.session.answer(requested.gateId, { action: 'approve' })
    return submission.result()
  }
  return { ...opened, requested, approve }
}

describe('what was approved is what runs', () => {
  it('runs the prepared effect after an approval, and nothing before', async () => {
    const root = folder()
    const { approve, session } = await askFor(createTool(root))
    await delivered()
    const before = readdirSync(root)

    await approve()

    expect(before).toEqual([])
    expect(readdirSync(root)).toEqual(['good'])
    expect(resultTexts(session.history())).toEqual(['created good'])
  })

  it('runs what was prepared when the preparation is changed after it was returned', async () => {
    const root = folder()
    let leaked: { artifact: { name: string } } | undefined
    const { approve } = await askFor(createTool(root, (preparation) => (leaked = preparation)))

    if (leaked !== undefined) leaked.artifact.name = 'evil'
    await approve()

    expect(leaked?.artifact.name).toBe('evil')
    expect(readdirSync(root)).toEqual(['good'])
  })

  it('runs what was prepared when a tool that is not of defineTool changes it later', async () => {
    const root = folder()
    const artifact = { name: 'good' }
    const inner = createTool(root)
    const definition: ToolDefinition = {
      ...inner,
      build: async (bindings) =>
        (await inner.build(bindings)).map(
          (tool): Tool => ({
            info: tool.info,
            replaySafe: false,
            sequential: false,
            prepareCall: async (context, args) => ({ ...(await tool.prepareCall(context, args)), artifact }),
            invoke: (context, args) => tool.invoke(context, args),
            writeTarget: () => undefined,
            auditSummary: () => 'create',
          }),
        ),
    }
    const { approve } = await askFor(definition)

    artifact.name = 'evil'
    await approve()

    expect(readdirSync(root)).toEqual(['good'])
  })

  it('refuses an artifact that could change: a getter is never called', async () => {
    const root = folder()
    let reads = 0
    const tool = createTool(root, (preparation) =>
      Object.defineProperty(preparation.artifact, 'name', {
        enumerable: true,
        get: () => (reads++ === 0 ? 'good' : 'evil'),
      }),
    )
    const responses = [calling({ name: 'create', input: { name: 'good' } }), { text: 'ok' }]
    const { session, types } = await openSession({ responses, tools: [tool], gate: asking() })

    await session.submit('Go').result()

    expect([reads, readdirSync(root)]).toEqual([0, []])
    expect(resultTexts(session.history())).toEqual(['the tool failed'])
    expect(await types()).not.toContain('PermissionRequested')
  })

  it('gives a gate a request that it cannot change', async () => {
    const root = folder()
    const attempts: boolean[] = []
    const gate: Gate = {
      evaluate: async (request) => {
        attempts.push(
          Reflect.set(request, 'summary', 'harmless'),
          Reflect.set(request.requirements[0] ?? {}, 'match', 'evil'),
        )
        return { decision: 'ask', unmet: request.requirements }
      },
    }
    const { approve, requested } = await askFor(createTool(root), gate)

    await approve()

    expect(attempts).toEqual([false, false])
    expect(requested).toMatchObject({ request: { summary: 'create good' }, unmet: [{ match: 'good' }] })
    expect(readdirSync(root)).toEqual(['good'])
  })

  it('shows the requirements of the call, whatever a gate makes of its answer later', async () => {
    let said: { match: string }[] = []
    const gate: Gate = {
      evaluate: async ({ requirements }) => {
        said = structuredClone(requirements) as unknown as { match: string }[]
        return { decision: 'ask', unmet: said as unknown as ToolRequest['requirements'] }
      },
    }
    const { session, requested, approve } = await askFor(createTool(folder()), gate)

    for (const each of said) each.match = 'harmless'
    said.length = 0

    expect(requested.unmet).toEqual([requirement('good')])
    expect(permissions(session)[0]?.unmet).toEqual([requirement('good')])
    expect((await approve()).status).toBe('done')
  })

  it('gives a subscriber and a reader of gates nothing that they can change', async () => {
    const { session, requested, approve } = await askFor(createTool(folder()))
    const [gate] = permissions(session)

    const attempts = [
      Reflect.set(requested, 'gateId', 'x'),
      Reflect.set(requested.request, 'summary', 'x'),
      Reflect.set(requested.unmet, '0', 'x'),
      Reflect.set(gate ?? {}, 'toolExecutionId', 'x' as InputId),
      Reflect.set(gate?.actions ?? [], '2', 'approve_always'),
      Reflect.set(gate?.unmet ?? [], 'length', 0),
    ]

    expect(attempts).toEqual(Array(6).fill(false))
    expect((await approve()).status).toBe('done')
  })

  it('asks again for what the model changes after an answer', async () => {
    const root = folder()
    const responses = ['good', 'evil'].map((name) => calling({ id: 'same', name: 'create', input: { name } }))
    const { session, recording } = await openSession({
      responses: [...responses, { text: 'ok' }],
      tools: [createTool(root)],
      gate: asking(),
    })
    const submission = session.submit('Go')
    const first = await recording.waitFor('PermissionRequested')
    await session.answer(first.gateId, { action: 'approve' })

    const second = await recording.waitFor('PermissionRequested', 2)
    await session.answer(second.gateId, { action: 'deny' })
    await submission.result()

    expect(second.gateId).not.toBe(first.gateId)
    expect(readdirSync(root)).toEqual(['good'])
  })
})
