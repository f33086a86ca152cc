import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { defineTool, PreparedCall, seal, sealVersion, textResult, writeRequirement } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildTool, invokePrepared, newContext, newExecutionId } from '../support/call-tool.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

/** Writes a real file, so that an effect can be seen. */
const note = defineTool({
  name: 'Note',
  description: 'Write a note.',
  requires: ['workspace'],
  inputSchema: z.strictObject({ line: z.string() }),
  prepare: ({ line }, { workspace }) => ({
    summary: 'write a note',
    artifact: { path: join(workspace.root, 'note.txt'), line },
    requirements: [writeRequirement(join(workspace.root, 'note.txt'))],
  }),
  run: async ({ path, line }) => {
    await writeFile(path, line)
    return textResult('written')
  },
})

async function preparedNote() {
  const root = await tempWorkspace()
  const tool = await buildTool(note, root)
  const context = newContext()
  const prepared = await tool.prepareCall(context, '{"line":"approved"}')
  const sealed = seal({ executionId: context.executionId, ...prepared, grants: ['GRANT-SENTINEL'] })
  const written = () => readFile(join(root, 'note.txt'), 'utf8').catch(() => undefined)
  return { tool, context, prepared, sealed, written }
}

describe('seal and invoke', () => {
  it('runs what was approved, whatever arguments come with the run', async () => {
    const { tool, context, prepared, written } = await preparedNote()

    const result = await invokePrepared(tool, context, prepared, '{"line":"changed"}')

    expect(result).toEqual({ content: [{ type: 'text', text: 'written' }], isError: false })
    expect(await written()).toBe('approved')
  })

  it('prepares without any effect', async () => {
    const { written } = await preparedNote()

    expect(await written()).toBeUndefined()
  })

  it.each<[string, (sealed: PreparedCall) => unknown]>([
    ['no seal', () => undefined],
    ['null', () => null],
    ['a text', () => 'sealed'],
    ['a spread', (sealed) => ({ ...sealed })],
    ['a structured clone', (sealed) => structuredClone(sealed)],
    ['an object with the seal as prototype', (sealed) => Object.create(sealed)],
    ['an object with the prototype of a seal', () => Object.create(PreparedCall.prototype)],
    ['a proxy', (sealed) => new Proxy(sealed, {})],
    ['a JSON copy', (sealed) => JSON.parse(JSON.stringify(sealed))],
  ])('refuses %s without an effect', async (_name, forge) => {
    const { tool, context, sealed, written } = await preparedNote()

    const result = await tool.invoke({ ...context, prepared: forge(sealed) }, '{"line":"approved"}')

    expect(result).toMatchObject({ isError: true, code: 'permission_denied' })
    expect(result.content).toEqual([{ type: 'text', text: 'permission denied: Note requires its prepared call' }])
    expect(await written()).toBeUndefined()
  })

  it('can be made by `seal` alone, also by who has no types', () => {
    const construct = PreparedCall as unknown as new (...args: unknown[]) => PreparedCall

    for (const key of ['exec', Symbol('seal'), undefined]) {
      expect(() => new construct(key, 'exec', 'Note', {}, [])).toThrow(TypeError)
      expect(() => Reflect.construct(construct, [key, 'exec', 'Note', {}, []], Object)).toThrow(TypeError)
    }
  })

  it('ends with an error result when the call has no signal, without an effect', async () => {
    const { tool, context, sealed, written } = await preparedNote()

    const result = await tool.invoke({ ...context, signal: undefined as never, prepared: sealed }, '')

    expect(result).toMatchObject({ isError: true, code: 'tool_failed' })
    expect(await written()).toBeUndefined()
  })

  it('refuses the seal of another execution without an effect', async () => {
    const { tool, context, sealed, written } = await preparedNote()

    const result = await tool.invoke({ ...context, executionId: newExecutionId(), prepared: sealed }, '{}')

    expect(result).toMatchObject({ isError: true, code: 'permission_denied' })
    expect(await written()).toBeUndefined()
  })

  it('refuses the seal of another tool without an effect', async () => {
    const { tool, context, prepared, written } = await preparedNote()
    const foreign = seal({
      executionId: context.executionId,
      request: { ...prepared.request, toolName: 'Other' },
      artifact: prepared.artifact,
    })

    expect(await tool.invoke({ ...context, prepared: foreign }, '{}')).toMatchObject({ code: 'permission_denied' })
    expect(await written()).toBeUndefined()
  })

  it('runs a seal once, also when two runs start together', async () => {
    const { tool, context, sealed } = await preparedNote()

    const results = await Promise.all([
      tool.invoke({ ...context, prepared: sealed }, '{}'),
      tool.invoke({ ...context, prepared: sealed }, '{}'),
    ])

    expect(results.map(({ isError }) => isError)).toEqual([false, true])
    expect(results[1]).toMatchObject({ code: 'permission_denied' })
  })

  it('stays consumed after a wrong execution tried it', async () => {
    const { tool, context, sealed, written } = await preparedNote()
    await tool.invoke({ ...context, executionId: newExecutionId(), prepared: sealed }, '{}')

    await tool.invoke({ ...context, prepared: sealed }, '{}')

    expect(await written()).toBe('approved')
  })

  it('keeps its copy of an artifact that is changed after sealing', async () => {
    const { tool, context, prepared, written } = await preparedNote()
    const artifact = { ...(prepared.artifact as { path: string; line: string }) } // the shape that `prepare` made
    const sealed = seal({ executionId: context.executionId, request: prepared.request, artifact })

    artifact.line = 'changed'
    await tool.invoke({ ...context, prepared: sealed }, '{}')

    expect(await written()).toBe('approved')
  })
})

describe('PreparedCall', () => {
  it('prints no grant and no artifact', async () => {
    const { sealed } = await preparedNote()

    const printed = [
      inspect(sealed, { depth: 9, showHidden: true }),
      JSON.stringify(sealed),
      String(sealed),
      `${Object.entries(sealed)}`,
    ]

    expect(printed.join()).not.toMatch(/SENTINEL|approved/)
    expect(printed[1]).toContain('"toolName":"Note"')
  })

  it('is frozen and carries the version of the contract', async () => {
    const { sealed } = await preparedNote()

    expect(Object.isFrozen(sealed)).toBe(true)
    expect(sealed.version).toBe(sealVersion)
  })
})
