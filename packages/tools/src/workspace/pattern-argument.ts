import { z } from 'zod'

/** The longest pattern of a search, in characters. */
const maxPatternLength = 1_000

/** The schema of a pattern argument. */
export function patternArgument(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(maxPatternLength)
    .refine((pattern) => pattern.isWellFormed() && !pattern.includes('\0'), 'must be well-formed text without NUL')
    .describe(description)
}
