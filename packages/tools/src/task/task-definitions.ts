import { canonicalJson, type JsonObject } from '@looprig/core'
import type { BundleTool } from '../contract/define-bundle.ts'
import { defineBundle } from '../contract/define-bundle.ts'
import type { ToolDefinition } from '../contract/definition.ts'
import { type ToolResult, textResult } from '../contract/result.ts'
import type { Task, TaskGraph } from './task.ts'
import { openTaskArchive } from './task-archive.ts'
import { createArguments, getArguments, listArguments, updateArguments } from './task-arguments.ts'
import { addTask, blockedTasks, changeTask, findTask, removeTask } from './task-graph.ts'
import { TaskStore } from './task-store.ts'

/**
 * The tools `TaskCreate`, `TaskUpdate`, `TaskGet` and `TaskList` over the tasks of one loop, which live as long as the
 * session is open in this process. They ask for no permission: they act on nothing but the loop's own plan.
 */
export function taskDefinitions(): ToolDefinition<readonly []> {
  return defineBundle({ name: 'Tasks', setup: () => TaskStore.open(), tools: taskTools })
}

/** The same tools over tasks that are there again after a restore: they are kept among the session's resources. */
export function durableTaskDefinitions(): ToolDefinition<readonly ['processes']> {
  return defineBundle({
    name: 'Tasks',
    requires: ['processes'],
    setup: async ({ loopId, processes }) => TaskStore.open(await openTaskArchive(processes.resources, loopId)),
    tools: taskTools,
  })
}

function taskTools<R extends readonly 'processes'[]>(tool: BundleTool<R, TaskStore>) {
  return [
    tool({
      name: 'TaskCreate',
      description:
        'Add a task to your plan. Use it for work of several steps; say with blockedBy which tasks must be completed first.',
      inputSchema: createArguments,
      sequential: true,
      // the call's own id: unique, and the same when a restore prepares the call again
      prepare: (input, { executionId }) => own('add a task', { id: executionId, ...input }),
      run: async ({ id, subject, description, activeForm, blockedBy = [], metadata }, { deps: store }) => {
        const task: Task = {
          id,
          subject,
          description,
          ...(activeForm === undefined ? {} : { activeForm }),
          status: 'pending',
          blockedBy,
          ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
        }
        const graph = await store.change((tasks) => addTask(tasks, task))
        return showTask(graph, id)
      },
    }),
    tool({
      name: 'TaskUpdate',
      description:
        'Change a task of your plan: mark it in_progress when you begin and completed when it is done, or reword, ' +
        'reorder or delete it. What you leave out stays. Completing a task starts no other.',
      inputSchema: updateArguments,
      sequential: true,
      prepare: (input) => own('change a task', input),
      run: async ({ taskId, status, ...change }, { deps: store }) => {
        if (status === 'deleted') {
          await store.change((tasks) => removeTask(tasks, taskId))
          return showJson({ deletedTaskId: taskId })
        }
        const graph = await store.change((tasks) => changeTask(tasks, taskId, { ...change, status }))
        return showTask(graph, taskId)
      },
    }),
    tool({
      name: 'TaskGet',
      description: 'Show one task of your plan with all that is known of it.',
      inputSchema: getArguments,
      sequential: true,
      replaySafe: true,
      prepare: (input) => own('show a task', input),
      run: ({ taskId }, { deps: store }) => showTask(store.graph, taskId),
    }),
    tool({
      name: 'TaskList',
      description: 'Show all tasks of your plan, the oldest first.',
      inputSchema: listArguments,
      sequential: true,
      replaySafe: true,
      prepare: () => own('show the tasks', {}),
      run: (_artifact, { deps: store }) => {
        const { graph } = store
        return showJson({ tasks: [...graph.keys()].map((id) => viewOf(graph, id)) })
      },
    }),
  ]
}

/** Acts on nothing but what the loop owns. */
function own<A>(summary: string, artifact: A) {
  return { summary, artifact, requirements: [] }
}

function showTask(graph: TaskGraph, id: string): ToolResult {
  return showJson({ task: viewOf(graph, id) })
}

function showJson(value: JsonObject): ToolResult {
  return textResult(JSON.stringify(value), { details: value })
}

/** A task as a model reads it: empty lists are left out, and what waits for it is told. */
function viewOf(graph: TaskGraph, id: string): JsonObject {
  const { subject, description, activeForm, status, blockedBy, metadata } = findTask(graph, id)
  const blocks = blockedTasks(graph, id)
  return {
    id,
    subject,
    description,
    ...(activeForm === undefined ? {} : { activeForm }),
    status,
    ...(blockedBy.length === 0 ? {} : { blockedBy }),
    ...(blocks.length === 0 ? {} : { blocks }),
    // in one order, so that equal tasks read alike
    ...(metadata === undefined ? {} : { metadata: JSON.parse(canonicalJson(metadata)) as JsonObject }), // proved: it was an object
  }
}
