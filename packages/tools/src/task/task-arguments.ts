import { byteLength, canonicalJson, type JsonObject } from '@looprig/core'
import { z } from 'zod'
import { sortedIds } from './task-graph.ts'
import { maxBlockers, maxDescriptionBytes, maxMetadataBytes, maxSubjectBytes } from './task-limits.ts'

const oneLine = /^\P{Cc}*$/u
const manyLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/

const text = (allowed: RegExp, maxBytes: number, description: string) =>
  z
    .string()
    .refine((value) => value.trim() !== '', 'expected a text that is not blank')
    .refine((value) => byteLength(value) <= maxBytes, `expected at most ${maxBytes} bytes`)
    .refine((value) => allowed.test(value), 'expected a text without control characters')
    .transform((value) => value.toWellFormed())
    .describe(description)

const id = z.string().trim().toLowerCase().pipe(z.uuid())
const ids = (description: string) => z.array(id).max(maxBlockers).transform(sortedIds).describe(description)

const metadata = z
  .looseObject({})
  // proved: arguments are parsed JSON
  .transform((value) => value as JsonObject)
  .refine((value) => byteLength(canonicalJson(value)) <= maxMetadataBytes, `expected at most ${maxMetadataBytes} bytes`)

const subject = text(oneLine, maxSubjectBytes, 'What to do, in a few words.')
const description = text(
  manyLines,
  maxDescriptionBytes,
  'What has to be done, so that it can be taken up without other context.',
)
const activeForm = text(
  oneLine,
  maxSubjectBytes,
  'What is shown while it is in progress, for example "Running the tests".',
)

/** The arguments of TaskCreate. */
export const createArguments = z.strictObject({
  subject,
  description,
  activeForm: activeForm.optional(),
  blockedBy: ids('The ids of the tasks that must be completed first.').optional(),
  metadata: metadata.describe('Anything else to keep with the task.').optional(),
})

/** The arguments of TaskUpdate. */
export const updateArguments = z.strictObject({
  taskId: id,
  subject: subject.optional(),
  description: description.optional(),
  activeForm: activeForm.optional(),
  status: z
    .enum(['pending', 'in_progress', 'completed', 'deleted'])
    .describe('`in_progress` needs all that the task waits for to be completed. `deleted` removes the task.')
    .optional(),
  addBlockedBy: ids('The ids of more tasks that must be completed first.').optional(),
  removeBlockedBy: ids('The ids of tasks to wait for no longer.').optional(),
  metadata: metadata.describe('Replaces what was kept with the task; {} removes it.').optional(),
})

/** The arguments of TaskGet. */
export const getArguments = z.strictObject({ taskId: id })

/** The arguments of TaskList. */
export const listArguments = z.strictObject({})
