import { z } from 'zod'

/** The most that one call may declare of each kind. */
const maxItems = 32

const port = z.int().min(1).max(65_535)
const host = z.string().min(1).max(253)
const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine(
    (text) => text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text),
    'must hold no control characters',
  )
  .refine((text) => text.trim() === text, 'must not begin or end with white space')

const networkItem = z.strictObject({
  transport: z.literal('tcp').optional(),
  host: host.optional().describe('Default: any host.'),
  port,
})

const pathItem = z
  .strictObject({ scope: z.enum(['path', 'tree', 'host']), path: path.optional().describe('For path and tree.') })
  .refine((item) => (item.scope === 'host') === (item.path === undefined), {
    path: ['path'],
    message: 'is needed for path and tree, and not allowed for host',
  })

const description =
  'What the command needs besides the workspace. Declare it and it is asked for in one question; what is not declared stays ' +
  'blocked where commands are confined.'

/** The argument by which a model asks for more than the workspace. */
export const accessArgument = z
  .strictObject({
    network: z.array(networkItem).max(maxItems).optional().describe('TCP targets.'),
    read: z.array(pathItem).max(maxItems).optional(),
    write: z.array(pathItem).max(maxItems).optional(),
  })
  .describe(description)

/** One TCP target. */
export type NetworkItem = z.output<typeof networkItem>

/** One file, folder or whole host. */
export type PathItem = z.output<typeof pathItem>

/** What was declared. */
export type DeclaredAccess = z.output<typeof accessArgument>
