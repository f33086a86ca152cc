/** A resource over real files: it counts, and tells of what it counted as a supervisor tells of its processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InputId, LoopId, ToolExecutionId } from '@looprig/core'
import {
  defineTool,
  type ProcessLifecycle,
  type SessionResource,
  type SessionResourceServices,
  type ToolDefinition,
  textResult,
} from '@looprig/tools'
import { z } from 'zod'

/** What is told of one count, with ids that were minted before it. */
export interface Pending {
  readonly event: ProcessLifecycle
  readonly notice: { readonly inputId: InputId; readonly loopId: LoopId; readonly text: string }
}

/** Counts in a file. What it has to tell is in another one before it is told, and is told again by the next activation. */
export class Counter implements SessionResource {
  readonly directory: string
  readonly log: string[] = []
  services: SessionResourceServices | undefined
  /** Runs as a part of the activation and of the end. */
  readonly hooks: { activate?: () => Promise<void>; shutdown?: () => Promise<void> } = {}

  constructor(directory: string) {
    this.directory = directory
  }

  get count(): number {
    return Number(this.#read('count') ?? 0)
  }

  get pending(): readonly Pending[] {
    return JSON.parse(this.#read('pending') ?? '[]')
  }

  async activate(services: SessionResourceServices): Promise<void> {
    this.log.push('activate')
    this.services = services
    await this.hooks.activate?.()
    for (const { event, notice } of this.pending) {
      await services.publish(event)
      await services.notify(notice)
    }
  }

  async shutdown(): Promise<void> {
    this.log.push('shutdown')
    await this.hooks.shutdown?.()
  }

  add(): number {
    writeFileSync(join(this.directory, 'count'), String(this.count + 1))
    return this.count
  }

  /** Keeps what is to be told, as a supervisor keeps the ids of an end before the end. */
  save(...pending: readonly Pending[]): void {
    writeFileSync(join(this.directory, 'pending'), JSON.stringify([...this.pending, ...pending]))
  }

  #read(name: string): string | undefined {
    const file = join(this.directory, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }
}

/** The counters that were made, the newest last. */
export type Made = Counter[]

/** A tool that counts with the counter of its session. */
export function countTool(made: Made, prepare: (counter: Counter) => void = () => undefined): ToolDefinition {
  return defineTool({
    name: 'Count',
    description: 'Counts.',
    requires: ['processes'],
    replaySafe: true,
    inputSchema: z.strictObject({}),
    setup: ({ processes }) =>
      processes.resources.getOrCreate('counter', async (directory) => {
        const counter = new Counter(directory)
        prepare(counter)
        made.push(counter)
        return counter
      }),
    prepare: () => ({ summary: 'count', artifact: null, requirements: [] }),
    run: (_, { deps }) => textResult(String(deps.add())),
  })
}

const id = (n: number) => `00000000-0000-7000-9000-${String(n).padStart(12, '0')}`

/** One thing to tell, the same for the same number. */
export function pendingOf(n: number, loopId: LoopId, text = `process ${n} has ended`): Pending {
  return {
    event: completed(n, loopId),
    notice: { inputId: id(n + 500) as InputId, loopId, text },
  }
}

/** The end of a process, the same for the same number. */
export function completed(n: number, loopId: LoopId): ProcessLifecycle {
  return {
    eventId: id(n),
    kind: 'completed',
    loopId,
    processId: `p_${n}`,
    executionId: id(n + 900) as ToolExecutionId,
    state: 'exited',
    reason: 'exited',
    exitCode: 0,
    createdAt: 1,
    startedAt: 2,
    finishedAt: 3,
  }
}
