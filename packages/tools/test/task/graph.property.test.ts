import { isLooprigError } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TaskGraph } from '../../src/task/task.ts'
import { addTask, changeTask, removeTask } from '../../src/task/task-graph.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const status = fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const)
type Step = (graph: TaskGraph) => TaskGraph

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ id, blockedBy: fc.uniqueArray(id, { maxLength: 3 }) }).map(
    (task): Step =>
      (graph) =>
        addTask(graph, { ...task, subject: 's', description: 'd', status: 'pending' }),
  ),
  fc
    .record({
      id,
      status,
      addBlockedBy: fc.array(id, { maxLength: 2 }),
      removeBlockedBy: fc.array(id, { maxLength: 2 }),
    })
    .map(
      ({ id: changed, ...change }): Step =>
        (graph) =>
          changeTask(graph, changed, change),
    ),
  id.map(
    (removed): Step =>
      (graph) =>
        removeTask(graph, removed),
  ),
)

/** An order in which all tasks could be done; it exists when nothing waits for itself. */
function hasOrder(graph: TaskGraph): boolean {
  const done = new Set<string>()
  for (let before = -1; before < done.size; ) {
    before = done.size
    for (const task of graph.values()) if (task.blockedBy.every((blocker) => done.has(blocker))) done.add(task.id)
  }
  return done.size === graph.size
}

describe('a task graph', () => {
  it('keeps all its rules through any changes, and a refused change leaves it as it was', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let graph: TaskGraph = new Map()
        for (const change of steps) {
          const before = JSON.stringify([...graph])
          try {
            graph = change(graph)
          } catch (error) {
            expect(isLooprigError(error)).toBe(true)
            expect(JSON.stringify([...graph])).toBe(before)
          }
          expect(hasOrder(graph)).toBe(true)
          for (const task of graph.values()) {
            const blockers = task.blockedBy.map((blocker) => graph.get(blocker)?.status)
            expect(blockers).not.toContain(undefined)
            if (task.status === 'in_progress') expect(new Set(blockers)).not.toContain('pending')
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
