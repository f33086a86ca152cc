import type { InferenceRequest } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { isStrictSchema } from '../schema/strict-schema.ts'
import type { ChatProfile } from './profile.ts'

/** What the form of the answer becomes: a field, and instructions where the field does not hold the schema. */
export interface EncodedOutput {
  readonly field: object
  readonly instructions?: string
}

/**
 * Encodes the form that the answer must have.
 *
 * @throws InferenceError `unsupported` for a model that holds to none, or a name that the protocol does not take.
 */
export function encodeOutput({ output, model }: InferenceRequest, profile: ChatProfile): EncodedOutput | undefined {
  if (output === undefined) return undefined
  if (model.capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  const { name, description, schema, strict = true } = output
  if (profile.responseFormat === 'json_object') {
    const instructions = `Answer with one JSON object that matches this JSON Schema, and with nothing else:\n`
    return { field: { type: 'json_object' }, instructions: instructions + wellFormedJson(schema) }
  }
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw unsupported('output.name', 'expected 1 to 64 letters, digits, underscores or hyphens')
  }
  const described = description === undefined ? {} : { description }
  const held = strict && isStrictSchema(schema) // to ask for more than the schema allows would be an error
  return { field: { type: 'json_schema', json_schema: { name, ...described, strict: held, schema } } }
}
