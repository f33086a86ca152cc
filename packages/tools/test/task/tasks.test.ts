import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { buildTools, type SessionResource, type SessionResources, type Tool, type ToolResult } from '@looprig/tools'
import { durableTaskDefinitions, taskDefinitions } from '@looprig/tools/task'
import { afterEach, describe, expect, it } from 'vitest'
import { invokePrepared, newContext, newIdentity, textOfResult } from '../support/call-tool.ts'

type Plan = (name: string, args?: JsonObject) => Promise<ToolResult>

function planOf(tools: readonly Tool[]): Plan {
  return async (name, args = {}) => {
    const tool = tools.find(({ info }) => info.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const context = newContext()
    return invokePrepared(tool, context, await tool.prepareCall(context, JSON.stringify(args)))
  }
}

async function openPlan(): Promise<Plan> {
  return planOf(await buildTools(taskDefinitions(), newIdentity()))
}

async function read(result: Promise<ToolResult>) {
  return JSON.parse(textOfResult(await result))
}

async function add(plan: Plan, subject: string, blockedBy: readonly string[] = []): Promise<string> {
  return (await read(plan('TaskCreate', { subject, description: `to ${subject}`, blockedBy: [...blockedBy] }))).task.id
}

const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('the task tools', () => {
  it('are four over one plan, and need nothing', async () => {
    const definition = taskDefinitions()

    expect(definition.requires).toEqual([])
    expect(definition.produces.map(({ name }) => name)).toEqual(['TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList'])
  })

  it('see in one build what another of its tools made, and nothing of another build', async () => {
    const definition = taskDefinitions()
    const [mine, theirs] = await Promise.all([
      buildTools(definition, newIdentity()),
      buildTools(definition, newIdentity()),
    ])
    const id = await add(planOf(mine), 'read')

    expect((await read(planOf(mine)('TaskGet', { taskId: id }))).task.subject).toBe('read')
    expect(await read(planOf(theirs)('TaskList'))).toEqual({ tasks: [] })
  })

  it('ask for no permission, and run one after the other', async () => {
    for (const tool of await buildTools(taskDefinitions(), newIdentity())) {
      expect(tool.sequential).toBe(true)
    }
    const [create] = await buildTools(taskDefinitions(), newIdentity())
    const prepared = await create?.prepareCall(newContext(), JSON.stringify({ subject: 'a', description: 'b' }))
    expect(prepared?.request.requirements).toEqual([])
  })

  it('list tasks by age, with what waits for each', async () => {
    const plan = await openPlan()
    const first = await add(plan, 'build')
    const second = await add(plan, 'test', [first])

    expect(await read(plan('TaskList'))).toEqual({
      tasks: [
        { id: first, subject: 'build', description: 'to build', status: 'pending', blocks: [second] },
        { id: second, subject: 'test', description: 'to test', status: 'pending', blockedBy: [first] },
      ],
    })
  })

  it('keep metadata in one order, replace it as a whole, and drop it when it is empty', async () => {
    const plan = await openPlan()
    const made = await plan('TaskCreate', { subject: 'a', description: 'b', metadata: { z: 1, a: { y: 2, b: 3 } } })
    const { task } = JSON.parse(textOfResult(made))

    expect(textOfResult(made)).toContain('"metadata":{"a":{"b":3,"y":2},"z":1}')
    expect((await read(plan('TaskUpdate', { taskId: task.id, metadata: { k: 1 } }))).task.metadata).toEqual({ k: 1 })
    expect((await read(plan('TaskUpdate', { taskId: task.id, metadata: {} }))).task).not.toHaveProperty('metadata')
  })

  it('change what is named and leave the rest', async () => {
    const plan = await openPlan()
    const id = await add(plan, 'write')

    const { task } = await read(plan('TaskUpdate', { taskId: id, status: 'in_progress', activeForm: 'Writing' }))

    expect(task).toEqual({
      id,
      subject: 'write',
      description: 'to write',
      status: 'in_progress',
      activeForm: 'Writing',
    })
  })

  it('remove a task from those that wait for it', async () => {
    const plan = await openPlan()
    const first = await add(plan, 'a')
    const second = await add(plan, 'b', [first])

    expect(await read(plan('TaskUpdate', { taskId: first, status: 'deleted' }))).toEqual({ deletedTaskId: first })
    expect((await read(plan('TaskGet', { taskId: second }))).task).not.toHaveProperty('blockedBy')
  })

  it('let a removal win over an addition', async () => {
    const plan = await openPlan()
    const first = await add(plan, 'a')
    const second = await add(plan, 'b')

    const { task } = await read(plan('TaskUpdate', { taskId: second, addBlockedBy: [first], removeBlockedBy: [first] }))

    expect(task).not.toHaveProperty('blockedBy')
  })
})

describe('the plan stays as it was', () => {
  const refused: readonly [string, string, (ids: { first: string; second: string }) => [string, JsonObject]][] = [
    ['a cycle', 'dependency_cycle', ({ first, second }) => ['TaskUpdate', { taskId: first, addBlockedBy: [second] }]],
    [
      'a task that waits for itself',
      'self_dependency',
      ({ first }) => ['TaskUpdate', { taskId: first, addBlockedBy: [first] }],
    ],
    [
      'a start before what comes first',
      'blocker_open',
      ({ second }) => ['TaskUpdate', { taskId: second, status: 'in_progress' }],
    ],
    [
      'a blocker that is not there',
      'blocker_not_found',
      ({ first }) => ['TaskUpdate', { taskId: first, addBlockedBy: [nobody] }],
    ],
    [
      'a new task after one that is not there',
      'blocker_not_found',
      () => ['TaskCreate', { subject: 'c', description: 'c', blockedBy: [nobody] }],
    ],
    ['a task that is not there', 'task_not_found', () => ['TaskUpdate', { taskId: nobody, status: 'completed' }]],
    ['a removal of what is not there', 'task_not_found', () => ['TaskUpdate', { taskId: nobody, status: 'deleted' }]],
  ]

  it.each(refused)('after %s', async (_, code, call) => {
    const plan = await openPlan()
    const first = await add(plan, 'a')
    const second = await add(plan, 'b', [first])
    const before = await read(plan('TaskList'))

    const result = await plan(...call({ first, second }))

    expect(result).toMatchObject({ isError: true, code })
    expect(await read(plan('TaskList'))).toEqual(before)
  })

  it('after a change that would open what a running task waits for', async () => {
    const plan = await openPlan()
    const first = await add(plan, 'a')
    const second = await add(plan, 'b', [first])
    await plan('TaskUpdate', { taskId: first, status: 'completed' })
    await plan('TaskUpdate', { taskId: second, status: 'in_progress' })

    expect(await plan('TaskUpdate', { taskId: first, status: 'pending' })).toMatchObject({ code: 'blocker_open' })
  })

  it('after the 257th task', async () => {
    const plan = await openPlan()
    for (let count = 0; count < 256; count += 1) await add(plan, `task ${count}`)

    const result = await plan('TaskCreate', { subject: 'one more', description: 'x' })

    expect(result).toMatchObject({ isError: true, code: 'too_many_tasks' })
  })

  it('after more than all tasks may take', async () => {
    const plan = await openPlan()
    const description = 'x'.repeat(16_384)
    let last: ToolResult | undefined
    for (let count = 0; count < 130; count += 1) last = await plan('TaskCreate', { subject: 'big', description })

    expect(last).toMatchObject({ isError: true, code: 'tasks_too_large' })
  })
})

describe('task arguments', () => {
  it.each<readonly [string, string, JsonObject, string]>([
    ['a blank subject', 'TaskCreate', { subject: ' ', description: 'b' }, 'subject'],
    ['a blank new subject', 'TaskUpdate', { taskId: nobody, subject: '' }, 'subject'],
    ['a subject of more than 512 bytes', 'TaskCreate', { subject: 'é'.repeat(257), description: 'b' }, 'subject'],
    ['an unknown key', 'TaskCreate', { subject: 'a', description: 'b', owner: 'SECRET' }, 'owner'],
    ['an unknown status', 'TaskUpdate', { taskId: nobody, status: 'SECRET' }, 'status'],
    ['no UUID', 'TaskGet', { taskId: '../SECRET' }, 'taskId'],
    ['null', 'TaskCreate', { subject: null, description: 'b' }, 'subject'],
    ['metadata that is a list', 'TaskCreate', { subject: 'a', description: 'b', metadata: ['SECRET'] }, 'metadata'],
    [
      'metadata that is too large',
      'TaskCreate',
      { subject: 'a', description: 'b', metadata: { a: 'x'.repeat(16_384) } },
      'metadata',
    ],
  ])('refuse %s by name, never by value', async (_, tool, args, field) => {
    const plan = await openPlan()

    await expect(plan(tool, args)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(new RegExp(`^(?!.*SECRET).*${field}`, 's')),
    })
  })
})

describe('durable tasks', () => {
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })

  async function resourcesIn(directory: string): Promise<SessionResources> {
    const made = new Map<string, Promise<SessionResource>>()
    return {
      // proved: a key has one kind of resource
      getOrCreate: async <T extends SessionResource>(key: string, create: (folder: string) => Promise<T>) => {
        const resource = made.get(key) ?? create(directory)
        made.set(key, resource)
        return (await resource) as T
      },
    }
  }

  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'looprig-tasks-'))
    folders.push(folder)
    return folder
  }

  it('are there again when the session is restored, in its own loop alone', async () => {
    const folder = await newFolder()
    const identity = newIdentity()
    const build = async (owner = identity) =>
      planOf(
        await buildTools(durableTaskDefinitions(), { ...owner, processes: { resources: await resourcesIn(folder) } }),
      )
    const first = await build()
    const id = await add(first, 'remember')
    await first('TaskUpdate', { taskId: id, status: 'in_progress' })

    expect((await read((await build())('TaskList'))).tasks).toMatchObject([{ id, status: 'in_progress' }])
    expect(await read((await build(newIdentity()))('TaskList'))).toEqual({ tasks: [] })
  })

  it('are kept private, with nothing half-written beside them', async () => {
    const folder = await newFolder()
    const identity = newIdentity()
    const resources = await resourcesIn(folder)
    const plan = planOf(await buildTools(durableTaskDefinitions(), { ...identity, processes: { resources } }))
    await add(plan, 'a')
    await add(plan, 'b')

    expect(await readdir(folder)).toEqual([`${identity.loopId}.json`])
    expect((await stat(join(folder, `${identity.loopId}.json`))).mode & 0o777).toBe(0o600)
  })

  it('refuse to be built over a file that they cannot read, and leave it alone', async () => {
    const folder = await newFolder()
    const identity = newIdentity()
    const file = join(folder, `${identity.loopId}.json`)
    await writeFile(file, '{"version":2,"tasks":[]}')

    await expect(
      buildTools(durableTaskDefinitions(), { ...identity, processes: { resources: await resourcesIn(folder) } }),
    ).rejects.toMatchObject({ code: 'setup_failed', definition: 'Tasks' })
    expect((await stat(file)).size).toBe(24)
  })
})
