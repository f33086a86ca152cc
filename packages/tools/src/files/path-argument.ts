import { z } from 'zod'

/** The longest path that a model may name, in characters. */
const maxPathLength = 4_096

/** The schema of a path argument. What could never name a file, or could mislead a person, is refused here. */
export function pathArgument(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(maxPathLength)
    .refine((path) => path.isWellFormed() && !path.includes('\0'), 'must be well-formed text without NUL')
    .refine((path) => path.trimEnd() === path, 'must not end in white space')
    .describe(description)
}
