import { type InputId, isUuid, type LoopId, type SessionId, type ToolExecutionId } from '@looprig/core'
import { z } from 'zod'
import type { ProcessReason, ProcessState } from '../../contract/session-resource.ts'
import { handlePattern } from './handle.ts'

/** Whose process it is: compared with every call that names it. */
export interface ProcessOwner {
  readonly sessionId: SessionId
  readonly loopId: LoopId
}

/**
 * What is kept of a process on disk. It names no pid: what was started by a host that is gone is never signalled, and
 * nothing on disk could make anybody do it.
 */
export interface Manifest {
  readonly version: 1
  readonly handle: string
  readonly owner: ProcessOwner
  /** The call that started it. */
  readonly executionId: ToolExecutionId
  readonly command: string
  readonly directory: string
  readonly access: 'read_only' | 'scoped_write' | 'broad_write'
  readonly tty: boolean
  readonly state: ProcessState
  readonly reason?: ProcessReason | undefined
  /** Set where it exited by itself. */
  readonly exitCode?: number | undefined
  readonly diagnostic?: string | undefined
  /** In milliseconds since 1970, as the next three. */
  readonly createdAt: number
  readonly startedAt?: number | undefined
  readonly finishedAt?: number | undefined
  readonly deadlineAt?: number | undefined
  /** Of all output, in bytes; exact once it has ended. */
  readonly totalBytes: number
  /** Minted before the process starts, so that telling what became of it again is the same event. */
  readonly events: {
    readonly started: string
    readonly backgrounded: string
    readonly completed: string
    readonly lost: string
    readonly notice: InputId
  }
  /** The last event is in the journal. */
  readonly isPublished: boolean
  /** Whether the model was told of the end by an input of its own: not where a call of its own told it. */
  readonly notice: 'pending' | 'sent' | 'not_needed'
}

const runningStates = ['starting', 'running'] as const
const finalStates = ['exited', 'failed', 'timed_out', 'interrupted', 'terminated', 'killed', 'lost_on_restore'] as const
const reasons = [...finalStates, 'runner_shutdown', 'output_limit'] as const

const uuid = z.string().refine(isUuid)
const time = z.int().min(0)

const schema = z
  .strictObject({
    version: z.literal(1),
    handle: z.string().regex(handlePattern),
    owner: z.strictObject({ sessionId: uuid, loopId: uuid }),
    executionId: uuid,
    command: z.string(),
    directory: z.string(),
    access: z.enum(['read_only', 'scoped_write', 'broad_write']),
    tty: z.boolean(),
    state: z.enum([...runningStates, ...finalStates]),
    reason: z.enum(reasons).optional(),
    exitCode: z.int().optional(),
    diagnostic: z.string().max(512).optional(),
    createdAt: time,
    startedAt: time.optional(),
    finishedAt: time.optional(),
    deadlineAt: time.optional(),
    totalBytes: z.int().min(0),
    events: z.strictObject({ started: uuid, backgrounded: uuid, completed: uuid, lost: uuid, notice: uuid }),
    isPublished: z.boolean(),
    notice: z.enum(['pending', 'sent', 'not_needed']),
  })
  .refine((manifest) => isFinal(manifest.state) === (manifest.finishedAt !== undefined))
  .refine((manifest) => isFinal(manifest.state) === (manifest.reason !== undefined))
  .refine((manifest) => (manifest.state === 'exited') === (manifest.exitCode !== undefined))
  .refine(({ createdAt, startedAt = createdAt }) => startedAt >= createdAt)
  .refine(({ createdAt, finishedAt = createdAt }) => finishedAt >= createdAt)

/** Says whether nothing can become of a process any more. */
export function isFinal(state: ProcessState): boolean {
  return state !== 'starting' && state !== 'running'
}

/** Reads what is on disk; undefined when it is no manifest of this version. */
export function parseManifest(text: string): Manifest | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? (parsed.data as unknown as Manifest) : undefined // proved: ids are UUIDs, which was checked
}
