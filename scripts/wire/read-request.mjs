/** Reads a neutral request from a file. */
import { z } from 'zod'

/** @typedef {import('../../packages/inference/src/index.ts').InferenceRequest} InferenceRequest */

/** A file holds no request; the message names the part at fault. */
export class InvalidRequestError extends Error {
  /** @override */
  name = 'InvalidRequestError'
}

/**
 * Reads a request.
 *
 * @param {string} text
 * @param {import('./codecs.mjs').Doors} doors
 * @returns {Promise<InferenceRequest>}
 * @throws {InvalidRequestError}
 */
export async function readRequest(text, doors) {
  const { messageSchema } = await doors.core()
  const message = z.unknown().transform((value, context) => {
    const read = messageSchema.safeParse(value)
    if (read.success) return read.data
    context.addIssue({ code: 'custom', path: [...read.fault.path], message: read.fault.expected })
    return z.NEVER
  })
  const parsed = requestSchema(message).safeParse(parse(text))
  if (parsed.success) return /** @type {InferenceRequest} */ (withModel(parsed.data)) // proved: by the schema
  const [issue] = parsed.error.issues
  throw new InvalidRequestError(`${issue?.path.join('.') || 'the request'}: ${issue?.message}`)
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidRequestError('the request: is not JSON')
  }
}

const count = z.int().nonnegative()

const sampling = z.strictObject({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxOutputTokens: count.optional(),
  stop: z.array(z.string()).optional(),
  effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
})

const model = z.looseObject({
  provider: z.string().default('unknown'),
  name: z.string(),
  capabilities: z.looseObject({}).optional(),
  sampling: sampling.optional(),
})

const json = z.record(z.string(), z.json())

/** @param {z.ZodType} message */
function requestSchema(message) {
  return z.strictObject({
    model: z.union([z.string(), model]),
    system: z.string().optional(),
    messages: z.array(message),
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          description: z.string().default(''),
          inputSchema: json,
          strict: z.boolean().optional(),
        }),
      )
      .optional(),
    toolChoice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.strictObject({ name: z.string() }),
        z.strictObject({ allowed: z.array(z.string()), required: z.boolean().optional() }),
      ])
      .optional(),
    parallelToolCalls: z.boolean().optional(),
    output: z
      .strictObject({
        name: z.string(),
        description: z.string().optional(),
        schema: json,
        strict: z.boolean().optional(),
      })
      .optional(),
    transientMessages: count.optional(),
    sampling: sampling.optional(),
  })
}

/**
 * Fills in what the file leaves open.
 *
 * @param {z.infer<ReturnType<typeof requestSchema>>} request
 */
function withModel(request) {
  const named = typeof request.model === 'string' ? { provider: 'unknown', name: request.model } : request.model
  const effort = request.sampling?.effort ?? ('sampling' in named ? named.sampling?.effort : undefined)
  const capabilities =
    'capabilities' in named && named.capabilities ? named.capabilities : assumed(effort !== undefined)
  return { ...request, model: { ...named, capabilities } }
}

/** @param {boolean} thinking */
function assumed(thinking) {
  return { tools: true, images: true, audio: true, documents: true, structuredOutput: true, thinking }
}
