import { byteLength, type JsonObject } from '@looprig/core'
import { taskError } from './codes.ts'
import type { Task, TaskGraph, TaskStatus } from './task.ts'
import { maxBlockers, maxGraphBytes, maxTasks } from './task-limits.ts'

/** A change of one task; what is absent stays. */
export interface TaskChange {
  readonly subject?: string | undefined
  readonly description?: string | undefined
  readonly activeForm?: string | undefined
  readonly status?: TaskStatus | undefined
  readonly addBlockedBy?: readonly string[] | undefined
  /** Counts before an addition of the same id. */
  readonly removeBlockedBy?: readonly string[] | undefined
  /** Replaces all of it; an empty object removes it. */
  readonly metadata?: JsonObject | undefined
}

/**
 * The graph with one task more.
 *
 * @throws ToolError of `TaskToolCode`.
 */
export function addTask(graph: TaskGraph, task: Task): TaskGraph {
  if (graph.size >= maxTasks) throw taskError('too_many_tasks', `a loop keeps at most ${maxTasks} tasks; delete some`)
  return checked(new Map(graph).set(task.id, task), task)
}

/**
 * The graph with one task changed.
 *
 * @throws ToolError of `TaskToolCode`.
 */
export function changeTask(graph: TaskGraph, id: string, change: TaskChange): TaskGraph {
  const task = changed(findTask(graph, id), change)
  return checked(new Map(graph).set(id, task), task)
}

/**
 * The graph without a task. Nothing waits for it any more.
 *
 * @throws ToolError `task_not_found`.
 */
export function removeTask(graph: TaskGraph, id: string): TaskGraph {
  findTask(graph, id)
  const rest = new Map<string, Task>()
  for (const task of graph.values()) {
    if (task.id === id) continue
    const blockedBy = task.blockedBy.filter((blocker) => blocker !== id)
    rest.set(task.id, blockedBy.length === task.blockedBy.length ? task : { ...task, blockedBy })
  }
  return rest
}

/** @throws ToolError `task_not_found`. */
export function findTask(graph: TaskGraph, id: string): Task {
  const task = graph.get(id)
  if (task === undefined) throw taskError('task_not_found', 'no task has this id; TaskList shows the tasks there are')
  return task
}

/** The ids of the tasks that wait for one, the oldest first. */
export function blockedTasks(graph: TaskGraph, id: string): readonly string[] {
  return [...graph.values()].filter((task) => task.blockedBy.includes(id)).map((task) => task.id)
}

/** Each id once, in one order, so that equal sets are equal lists. */
export function sortedIds(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].sort()
}

function changed(task: Task, change: TaskChange): Task {
  const { subject, description, activeForm, status, addBlockedBy = [], removeBlockedBy = [], metadata } = change
  const removed = new Set(removeBlockedBy)
  const blockedBy = sortedIds([...task.blockedBy, ...addBlockedBy].filter((id) => !removed.has(id)))
  const { metadata: before, ...rest } = task
  const kept = metadata ?? before
  return {
    ...rest,
    blockedBy,
    ...(subject === undefined ? {} : { subject }),
    ...(description === undefined ? {} : { description }),
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(status === undefined ? {} : { status }),
    ...(kept === undefined || Object.keys(kept).length === 0 ? {} : { metadata: kept }),
  }
}

/** The graph itself, when all rules hold after a change of `task`. */
function checked(graph: TaskGraph, task: Task): TaskGraph {
  checkBlockers(graph, task)
  if (reaches(graph, task)) {
    throw taskError('dependency_cycle', 'the task would wait for itself through others; the tasks stay as they were')
  }
  for (const other of graph.values()) checkProgress(graph, other)
  const bytes = [...graph.values()].reduce((sum, each) => sum + byteLength(JSON.stringify(each)), 0)
  if (bytes > maxGraphBytes) throw taskError('tasks_too_large', `all tasks take at most ${maxGraphBytes} bytes`)
  return graph
}

function checkBlockers(graph: TaskGraph, { id, blockedBy }: Task): void {
  if (blockedBy.includes(id)) throw taskError('self_dependency', 'a task cannot wait for itself')
  if (blockedBy.length > maxBlockers) {
    throw taskError('too_many_blockers', `a task waits for at most ${maxBlockers} others`)
  }
  if (!blockedBy.every((blocker) => graph.has(blocker))) {
    throw taskError('blocker_not_found', 'a task in blockedBy does not exist; TaskList shows the tasks there are')
  }
}

function checkProgress(graph: TaskGraph, { status, subject, blockedBy }: Task): void {
  if (status !== 'in_progress') return
  if (blockedBy.every((blocker) => graph.get(blocker)?.status === 'completed')) return
  throw taskError('blocker_open', `"${subject}" is in progress, so all that it waits for must be completed`)
}

/** Whether a task waits for itself, at any distance. */
function reaches(graph: TaskGraph, { id, blockedBy }: Task): boolean {
  const seen = new Set<string>()
  const next = [...blockedBy]
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    if (current === id) return true
    if (seen.has(current)) continue
    seen.add(current)
    next.push(...(graph.get(current)?.blockedBy ?? []))
  }
  return false
}
