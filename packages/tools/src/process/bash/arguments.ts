import { z } from 'zod'
import { pathArgument } from '../../files/path-argument.ts'
import { accessArgument } from './access-argument.ts'

/** The longest command, in UTF-8 bytes. A rule reads at most a quarter of that: a longer line is always asked about. */
const maxCommandBytes = 65_536

/** The longest first wait for a process of the background, in milliseconds. */
const maxYieldMs = 600_000

/** The largest number that a shell, a timer and JSON agree on. */
const maxSeconds = 86_400

const command = z
  .string()
  .transform(trimCommand)
  .refine((text) => text !== '', 'must not be empty')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed text without NUL')
  .refine((text) => text.trim() === text, 'must not begin or end with unusual white space')
  .refine((text) => Buffer.byteLength(text) <= maxCommandBytes, `must not be longer than ${maxCommandBytes} bytes`)

/** The arguments of Bash, as a model sees and sends them. */
export const bashArguments = z
  .strictObject({
    // the check by zod comes after the trim, so the schema that is shown has none of it
    command: z.string().min(1).pipe(command).describe('The command, run by a POSIX shell.'),
    workdir: pathArgument(
      'The folder to run in, relative to the workspace or absolute inside it. Default: its root.',
    ).optional(),
    timeout: z
      .int()
      .min(0)
      .max(maxSeconds)
      .optional()
      .describe(
        'After how many seconds the command is ended. Default 30, and at most 120 unless it runs in the background; there the ' +
          'default is the longest that is allowed, and 0 means until the session ends.',
      ),
    background: z
      .boolean()
      .optional()
      .describe(
        'Do not wait: answer with a process_id at once. Its input is empty; to write to it, use yield_time_ms or tty.',
      ),
    yield_time_ms: z
      .int()
      .min(0)
      .max(maxYieldMs)
      .optional()
      .describe(
        'Wait so long; if the command still runs then, answer with a process_id and let it run on, with its input open.',
      ),
    tty: z.boolean().optional().describe('Run it in a terminal. Only with background or yield_time_ms.'),
    max_output_bytes: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('How much of the latest output of a background command is kept to be read.'),
    access: accessArgument.optional(),
  })
  .superRefine((input, context) => {
    const isSupervised = input.background === true || input.yield_time_ms !== undefined
    if (isSupervised) return
    const refuse = (path: string) =>
      context.addIssue({ code: 'custom', path: [path], message: 'needs background or yield_time_ms' })
    if (input.tty === true) refuse('tty')
    if (input.timeout === 0) refuse('timeout')
  })

/** What a model asks Bash for. */
export type BashArguments = z.output<typeof bashArguments>

/** Only what a shell takes for white space: anything else is part of the command. */
function trimCommand(text: string): string {
  return text.replace(/^[ \t\n]+|[ \t\n]+$/g, '')
}
