import { defineTool, isCheckedPreparation, type PreparedRequest, type ToolDefinition, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildTool, newContext } from '../support/call-tool.ts'

const inputSchema = z.strictObject({ list: z.array(z.number()) })

const pure = defineTool({ name: 'sum', description: 'x', pure: true, inputSchema, run: () => textResult('1') })

const effectful = defineTool({
  name: 'sum',
  description: 'x',
  inputSchema,
  prepare: ({ list }) => ({ summary: 'sum', artifact: { list }, requirements: [] }),
  run: () => textResult('1'),
})

async function prepare(definition: ToolDefinition): Promise<PreparedRequest> {
  const tool = await buildTool(definition, '/')
  return tool.prepareCall(newContext(), '{"list":[1]}')
}

describe('isCheckedPreparation', () => {
  it.each([
    ['pure', pure],
    ['effectful', effectful],
  ])('is true of what a %s tool prepared, which is frozen all the way down', async (_, definition) => {
    const prepared = await prepare(definition)

    expect(isCheckedPreparation(prepared)).toBe(true)
    for (const part of [prepared, prepared.request, prepared.request.requirements, prepared.artifact]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(Object.isFrozen((prepared.artifact as { list: unknown }).list)).toBe(true)
  })

  it('is false of everything that only looks like it', async () => {
    const prepared = await prepare(pure)

    for (const other of [
      { ...prepared },
      Object.create(prepared),
      Object.create(Object.getPrototypeOf(prepared)),
      new Proxy(prepared, {}),
    ]) {
      expect(isCheckedPreparation(other)).toBe(false)
    }
  })
})
