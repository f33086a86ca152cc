import { join } from 'node:path'
import { isLooprigError, isUuid, type JsonObject, type LoopId } from '@looprig/core'
import { z } from 'zod'
import type { SessionResource, SessionResources } from '../contract/session-resource.ts'
import { holdFolder } from '../files/held-folder.ts'
import { createFile, replaceFile } from '../files/publish-file.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import type { Task, TaskGraph } from './task.ts'
import { maxGraphBytes, maxTasks } from './task-limits.ts'
import type { TaskArchive } from './task-store.ts'

const resourceKey = 'looprig-tasks'

/** Room for the brackets around a full graph. */
const maxFileBytes = maxGraphBytes + maxTasks * 8 + 1_024

const privateMode = 0o600

/** The tasks of one loop, kept among its session's resources: one file per loop. */
export async function openTaskArchive(resources: SessionResources, loopId: LoopId): Promise<TaskArchive> {
  const { directory } = await resources.getOrCreate(resourceKey, async (folder) => new TaskFolder(folder))
  return new TaskFile(directory, `${loopId}.json`)
}

/** Nothing of it runs between calls. */
class TaskFolder implements SessionResource {
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  async activate(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

class TaskFile implements TaskArchive {
  readonly #directory: string
  readonly #name: string

  constructor(directory: string, name: string) {
    this.#directory = directory
    this.#name = name
  }

  async load(): Promise<TaskGraph> {
    try {
      const { bytes } = await readSmallFile(this.#directory, join(this.#directory, this.#name), {
        display: 'the tasks',
        maxBytes: maxFileBytes,
      })
      const { tasks } = fileSchema.parse(JSON.parse(bytes.toString('utf8')))
      return new Map(tasks.map((task) => [task.id, task]))
    } catch (error) {
      if (isLooprigError(error) && error.code === 'not_found') return new Map()
      throw error
    }
  }

  async save(graph: TaskGraph): Promise<void> {
    const folder = await holdFolder(this.#directory, this.#directory, { display: 'the tasks' })
    try {
      const bytes = Buffer.from(`${JSON.stringify({ version: 1, tasks: [...graph.values()] })}\n`)
      const file = { folder, name: this.#name, display: 'the tasks', bytes }
      const owner = { mode: privateMode, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
      await createFile(file, privateMode).catch((error: unknown) => {
        if (isLooprigError(error) && error.code === 'file_conflict') return replaceFile(file, owner)
        throw error
      })
    } finally {
      await folder.close()
    }
  }
}

const id = z.string().refine(isUuid, 'expected a UUID')

const taskSchema = z.looseObject({
  id,
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().exactOptional(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  blockedBy: z.array(id),
  // proved: it was read as JSON
  metadata: z
    .looseObject({})
    .transform((value) => value as JsonObject)
    .exactOptional(),
}) satisfies z.ZodType<Task>

/** Reads a file of this version; another one is refused, so that nothing of it is lost. */
const fileSchema = z.looseObject({ version: z.literal(1), tasks: z.array(taskSchema).max(maxTasks) })
