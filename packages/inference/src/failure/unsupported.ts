import { InferenceError } from './errors.ts'

/** Makes the error of a request that the model or the protocol cannot express. Names the part, never its content. */
export function unsupported(part: string, why: string): InferenceError {
  return new InferenceError('unsupported', `${part}: ${why}`)
}
