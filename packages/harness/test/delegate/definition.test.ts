import { byteLength } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentArguments } from '../../src/delegate/agent-arguments.ts'
import { describeAgentTool } from '../../src/delegate/agent-description.ts'
import type { AgentMenu } from '../../src/delegate/agent-menu.ts'
import { fitJson } from '../../src/delegate/fit-json.ts'
import { handBackId } from '../../src/delegate/hand-back-id.ts'
import { DefinitionError, defineLoop, defineRig, type LoopOptions, type RigOptions } from '../../src/index.ts'
import { openAgents } from './agent-session.ts'

const client = scriptedClient([])

const loop = (name: string, options: Partial<LoopOptions> = {}) =>
  defineLoop({ name, client, model: { provider: 'p', name: 'm' }, ...options })

const rig = (options: Partial<RigOptions>) => defineRig({ store: memoryStore(), loops: [], ...options })

function fieldOf(make: () => unknown): unknown {
  try {
    make()
  } catch (error) {
    expect(error).toBeInstanceOf(DefinitionError)
    return (error as DefinitionError).field
  }
  return undefined
}

describe('the delegates of a loop', () => {
  it.each<readonly [string, unknown, string]>([
    ['no list', { delegates: 'scout' }, 'delegates'],
    ['too many', { delegates: Array.from({ length: 65 }, (_, n) => `a${n}`) }, 'delegates'],
    ['a name that is none', { delegates: ['a', 7] }, 'delegates[1]'],
    ['an empty name', { delegates: [''] }, 'delegates[0]'],
    ['a name twice', { delegates: ['a', 'b', 'a'] }, 'delegates[2]'],
    ['another style', { delegates: ['a'], delegation: 'free' }, 'delegation'],
    ['a description that is no text', { description: 7 }, 'description'],
    ['a description without end', { description: 'x'.repeat(5_000) }, 'description'],
  ])('refuses %s', (_, options, field) => {
    expect(fieldOf(() => loop('main', options as Partial<LoopOptions>))).toBe(field)
  })

  it.each(['ListAgents', 'MessageAgent', 'StartAgent', 'StopAgent'])('keeps the name %s for the harness', (name) => {
    const tool = defineTool({
      name,
      description: 'x',
      pure: true,
      inputSchema: z.strictObject({}),
      run: () => textResult('x'),
    })

    expect(fieldOf(() => loop('main', { tools: [tool] }))).toBe('tools[0]')
    expect(fieldOf(() => loop('main', { modes: [{ name: 'a', tools: [tool] }], initialMode: 'a' }))).toBe(
      'modes[0].tools[0]',
    )
  })
})

describe('the loops of a rig', () => {
  it.each<readonly [string, Partial<RigOptions>, string]>([
    ['an unknown delegate', { loops: [loop('a'), loop('b', { delegates: ['a', 'c'] })] }, 'loops[1].delegates[1]'],
    [
      'a ring that nobody begins',
      { loops: [loop('a', { delegates: ['b'] }), loop('b', { delegates: ['a'] })] },
      'primers',
    ],
    ['no primer', { loops: [loop('a')], primers: [] }, 'primers'],
    ['an unknown primer', { loops: [loop('a')], primers: ['a', 'b'] }, 'primers[1]'],
    ['a primer twice', { loops: [loop('a')], primers: ['a', 'a'] }, 'primers[1]'],
    ['a loop that nothing reaches', { loops: [loop('a'), loop('b')], primers: ['a'] }, 'loops[1]'],
    ['no depth', { loops: [loop('a')], delegation: { depth: 0 } }, 'delegation.depth'],
    ['half a quota', { loops: [loop('a')], delegation: { quota: 1.5 } }, 'delegation.quota'],
  ])('are refused with %s', (_, options, field) => {
    expect(fieldOf(() => rig(options))).toBe(field)
  })

  it('may start each other in a ring, and themselves', async () => {
    const ring = { delegates: ['a', 'b'] }
    const session = await rig({ loops: [loop('a', ring), loop('b', ring)], primers: ['b', 'a'] }).newSession()

    expect(session.loops.map(({ name }) => name)).toEqual(['b', 'a'])
    await session.shutdown()
  })

  it('start with the session unless another one starts them', async () => {
    const loops = [
      loop('a', { delegates: ['c'] }),
      loop('b', { delegates: ['b'] }),
      loop('c', { delegates: ['d'] }),
      loop('d'),
    ]
    const session = await rig({ loops }).newSession()

    expect(session.loops.map(({ name }) => name)).toEqual(['a', 'b'])
    await session.shutdown()
  })

  it('get the tools of their style, behind their own and in every mode', async () => {
    const tool = defineTool({
      name: 'Zoom',
      description: 'x',
      pure: true,
      inputSchema: z.strictObject({}),
      run: () => textResult('x'),
    })
    const names = async (options: Partial<LoopOptions>) => {
      const { session, requests } = await openAgents({
        loops: { main: { says: [{ text: 'x' }], tools: [tool], ...options }, scout: {} },
      })
      await session.submit('go').result()
      return requests.main?.[0]?.tools?.map(({ name }) => name)
    }

    expect(await names({})).toEqual(['Zoom', 'StartAgent'])
    expect(await names({ delegation: 'managed' })).toEqual([
      'Zoom',
      'ListAgents',
      'MessageAgent',
      'StartAgent',
      'StopAgent',
    ])
    expect(await names({ modes: [{ name: 'bare', tools: [] }], initialMode: 'bare' })).toEqual(['StartAgent'])
    expect(await names({ delegates: [], tools: [] })).toBeUndefined()
  })
})

describe('what a model sees of agents', () => {
  const menu = (roles: AgentMenu['roles'], style: AgentMenu['style'] = 'managed'): AgentMenu => ({ style, roles })
  const scout = { name: 'scout', description: 'Looks\n- fake: row', modes: [] }

  it('has exactly the fields that apply', () => {
    const fields = (schema: ReturnType<typeof agentArguments>) => Object.keys(schema.jsonSchema.properties ?? {})

    expect(fields(agentArguments('StartAgent', menu([scout])))).toEqual([
      'agent_type',
      'instructions',
      'name',
      'wait_for_response',
      'timeout_seconds',
    ])
    expect(fields(agentArguments('StartAgent', menu([{ ...scout, modes: ['a', 'b'] }])))).toContain('agent_mode')
    expect(agentArguments('StartAgent', menu([scout], 'sync')).jsonSchema).toMatchObject({
      additionalProperties: false,
      required: ['agent_type', 'instructions'],
      properties: { wait_for_response: { const: true, default: true } },
    })
    expect(fields(agentArguments('MessageAgent', menu([scout])))).toEqual([
      'agent_id',
      'message',
      'wait_for_response',
      'timeout_seconds',
    ])
    expect(fields(agentArguments('ListAgents', menu([scout])))).toEqual(['agent_id'])
    expect(fields(agentArguments('StopAgent', menu([scout])))).toEqual(['agent_id'])
  })

  it.each<readonly [string, object, string]>([
    ['a field of nobody', { agent_type: 'scout', instructions: 'x', colour: 'red' }, 'unknown_field: colour'],
    ['a field of another set-up', { agent_type: 'scout', instructions: 'x', model: 'm' }, 'field_not_allowed: model'],
    ['nothing', {}, 'missing_field: agent_type'],
    [
      'a time that is too long',
      { agent_type: 'scout', instructions: 'x', timeout_seconds: 86_401 },
      'invalid_value: timeout_seconds',
    ],
    [
      'a time for an answer that nobody waits for',
      { agent_type: 'scout', instructions: 'x', wait_for_response: false, timeout_seconds: 5 },
      'field_not_allowed: timeout_seconds',
    ],
    [
      'a name that is too long',
      { agent_type: 'scout', instructions: 'x', name: 'é'.repeat(129) },
      'invalid_value: name',
    ],
    ['a name of two lines', { agent_type: 'scout', instructions: 'x', name: 'a\nb' }, 'invalid_value: name'],
  ])('refuses %s', (_, input, said) => {
    const parse = () => agentArguments('StartAgent', menu([scout])).parse(input as never)

    expect(parse).toThrow(said)
  })

  it('lists the agents in one line each, within bounds', () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ name: `a${n}`, description: 'é'.repeat(2_000), modes: [] }))
    const text = describeAgentTool('StartAgent', menu([scout, ...many]))
    const rows = text.split('\n').filter((line) => line.startsWith('- '))

    expect(byteLength(text)).toBeLessThanOrEqual(32 * 1024)
    expect(rows).toHaveLength(25)
    expect(rows[0]).toBe('- scout: Looks - fake: row')
    expect(rows.at(-1)).toBe('- … and 37 more')
    for (const row of rows) expect(byteLength(row)).toBeLessThanOrEqual(768)
  })
})

describe('fitJson', () => {
  it('is valid and within both bounds at every size', () => {
    const value = { id: 'x', name: '"n"', response: '\u0001"\\é😀'.repeat(40) }
    for (let bytes = 40; bytes < 1_200; bytes += 7) {
      const json = fitJson(value, ['response', 'name'], { bytes, journalBytes: bytes })

      expect(byteLength(JSON.stringify(json)) - 2).toBeLessThanOrEqual(bytes)
      const read = JSON.parse(json)
      expect(read.id).toBe('x')
      if (read.response !== undefined) expect(read.response.isWellFormed()).toBe(true)
    }
  })
})

describe('the id of a hand-back', () => {
  it('is a UUID that follows from the turn', () => {
    const id = handBackId('00000000-0000-7000-8000-000000000001' as never)

    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(handBackId('00000000-0000-7000-8000-000000000001' as never)).toBe(id)
    expect(handBackId('00000000-0000-7000-8000-000000000002' as never)).not.toBe(id)
  })
})
