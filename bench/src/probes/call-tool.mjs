/** Prepares, seals and runs calls, as a harness does. */
import { randomUUID } from 'node:crypto'
import { buildTools, createFileObservations, createWorkspaceCoordinator, seal } from '@looprig/tools'

const built = new Map()

/**
 * Makes one call of a definition of one tool, which is built once, and gives the result. An error result is none, unless
 * the call may fail.
 */
export async function callTool(definition, root, args, { mayFail = false } = {}) {
  const tools = built.get(definition) ?? (await callTools([definition], root))
  built.set(definition, tools)
  const result = await (await tools.prepare(definition.name, args))()
  if (result.isError && !mayFail) throw new Error(`${definition.name}: ${result.code}`)
  return result
}

/** Builds tools of one loop. `prepare` gives what runs the call. */
export async function callTools(definitions, root) {
  const coordinator = createWorkspaceCoordinator()
  const bindings = {
    sessionId: randomUUID(),
    loopId: randomUUID(),
    workspace: { root, coordinator, observations: createFileObservations() },
  }
  const tools = new Map()
  for (const definition of definitions) {
    for (const tool of await buildTools(definition, bindings)) tools.set(tool.info.name, tool)
  }
  return {
    prepare: async (name, args) => {
      const tool = tools.get(name)
      const call = { executionId: randomUUID(), toolUseId: 'call_1', signal: new AbortController().signal }
      const argsJson = JSON.stringify(args)
      const prepared = await tool.prepareCall(call, argsJson)
      const sealed = seal({ executionId: call.executionId, ...prepared })
      return () => tool.invoke({ ...call, prepared: sealed }, argsJson)
    },
  }
}
