import { z } from 'zod'
import { handlePattern } from '../supervisor/handle.ts'

/** The longest wait that a call may ask for, in milliseconds. */
export const maxWaitMs = 86_400_000

/** The id of a process, as Bash gave it. */
export const processIdArgument = z.string().regex(handlePattern, 'expected the process_id that Bash gave')
