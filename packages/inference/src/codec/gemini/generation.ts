import type { Model } from '../../model/model.ts'

/**
 * Whether a model is of the third generation or later: it wants a signature on the first call of every step, and takes
 * pictures inside of a function response.
 */
export function isThirdGeneration({ name, capabilities }: Model): boolean {
  if (capabilities?.thinkingDialect === 'adaptive') return true
  const [, major] = /(?:^|\/)gemini-(\d{1,3})(?:\D|$)/i.exec(name) ?? []
  return major !== undefined && Number(major) >= 3
}

/**
 * What Google documents for calls of another provider's model in the history: they have no signature, and the third
 * generation refuses a request without one.
 */
export const noSignature = 'skip_thought_signature_validator'
