/** What a decoded recording came to, in the vocabulary in which recordings say what they expect. */

/** @typedef {import('../../packages/inference/src/testing.ts').DecodedRecording} DecodedRecording */
/** @typedef {import('../../packages/core/src/index.ts').Block} Block */
/** @typedef {import('../../packages/core/src/index.ts').Usage} Usage */
/** @typedef {import('../../packages/core/src/index.ts').ProviderState} ProviderState */

/**
 * @typedef {object} OutcomeCall
 * @property {string} id
 * @property {string} name
 * @property {unknown} args `null` where the model's text is no JSON object; such a call never runs.
 * @property {boolean | null} argsValid `null` where the argument is free text.
 * @property {string} rawArgs the model's text.
 * @property {string} [signature]
 * @property {true} [custom] its argument is free text.
 */

/**
 * @typedef {object} OutcomeError
 * @property {import('../../packages/inference/src/index.ts').InferenceErrorCode} kind the neutral code.
 * @property {string | null} type the provider's word.
 * @property {string | number | null} code the provider's word.
 * @property {string} message the provider's, cut and redacted; ours where it said nothing.
 * @property {number | null} status
 * @property {boolean} midStream
 * @property {boolean} retryable
 */

/**
 * @typedef {object} Outcome
 * @property {string} text
 * @property {string} reasoning
 * @property {string[]} reasoningSignatures
 * @property {number} redactedReasoningBlocks
 * @property {OutcomeCall[]} toolCalls none where there is an error: they must not run.
 * @property {string | null} refusal
 * @property {string | null} finishReason
 * @property {string | null} rawFinishReason
 * @property {Record<string, number>} usage empty where none was told; a part that was not told is 0.
 * @property {string | null} model
 * @property {OutcomeError | null} error
 * @property {boolean} truncated
 */

/**
 * Tells what a recording came to.
 *
 * @param {DecodedRecording} decoded
 * @param {'stream' | 'whole'} form
 * @returns {Outcome}
 */
export function outcomeOf({ response, facts, error }, form) {
  const { message, toolCalls } = response
  const refusals = message.blocks.filter((block) => block.type === 'refusal')
  return {
    text: joined(message.blocks, 'text'),
    reasoning: joined(message.blocks, 'thinking'),
    reasoningSignatures: message.blocks.flatMap(signaturesOf),
    redactedReasoningBlocks: message.blocks.filter(isRedacted).length,
    toolCalls: error ? [] : toolCalls.map((call) => callOf(call, message.blocks)),
    refusal: refusals.length === 0 ? null : joined(refusals, 'refusal'),
    finishReason: finishReasonOf(facts.reason, facts.rawReason),
    rawFinishReason: facts.rawReason ?? null,
    usage: usageOf(facts.usage),
    model: facts.model ?? null,
    error: error === undefined ? null : errorOf(error, form),
    truncated: error?.code === 'truncated',
  }
}

/**
 * @param {readonly Block[]} blocks
 * @param {'text' | 'thinking' | 'refusal'} type
 */
function joined(blocks, type) {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('')
}

/**
 * The signatures of a block: a seal, or what a provider's state holds, in whatever depth.
 *
 * @param {Block} block
 * @returns {string[]}
 */
function signaturesOf(block) {
  if (block.type === 'thinking' && block.seal) return [block.seal.signature]
  const state = stateOf(block)
  return state === undefined ? [] : signaturesIn(state.data)
}

/**
 * @param {unknown} data
 * @returns {string[]}
 */
function signaturesIn(data) {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([key, value]) =>
    typeof value === 'string' ? (/signature$/i.test(key) && value !== '' ? [value] : []) : signaturesIn(value),
  )
}

/**
 * Whether thinking came as data that only its provider can read.
 *
 * @param {Block} block
 */
function isRedacted(block) {
  if (block.type !== 'thinking') return false
  const { format = '', data } = stateOf(block) ?? {}
  if (/redacted/.test(format)) return true
  return typeof data === 'object' && data !== null && Boolean(Reflect.get(data, 'encrypted_content'))
}

/**
 * @param {Block} block
 * @returns {ProviderState | undefined}
 */
function stateOf(block) {
  return 'state' in block ? block.state : undefined
}

/**
 * @param {import('../../packages/core/src/index.ts').RawToolCall} call
 * @param {readonly Block[]} blocks
 * @returns {OutcomeCall}
 */
function callOf({ toolUseId, name, argsJson }, blocks) {
  const block = blocks.find((each) => each.type === 'tool_use' && each.id === toolUseId)
  const signature = block === undefined ? undefined : signaturesOf(block)[0]
  const data = block === undefined ? undefined : stateOf(block)?.data
  const isCustom = typeof data === 'object' && data !== null && Reflect.get(data, 'custom') === true
  const args = isCustom ? undefined : objectIn(argsJson)
  return {
    id: toolUseId,
    name,
    args: args ?? null,
    argsValid: isCustom ? null : args !== undefined,
    rawArgs: argsJson,
    ...(signature === undefined ? {} : { signature }),
    ...(isCustom ? { custom: true } : {}),
  }
}

/**
 * @param {string} text
 * @returns {object | undefined}
 */
function objectIn(text) {
  if (text.trim() === '') return {}
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {string | undefined} reason
 * @param {string | undefined} raw
 * @returns {string | null}
 */
function finishReasonOf(reason, raw) {
  if (reason === undefined) return null
  if (reason === 'refusal') return 'content_filter'
  if (reason === 'unknown') return raw ? 'other' : null
  return reason
}

/**
 * @param {Usage | undefined} usage
 * @returns {Record<string, number>}
 */
function usageOf(usage) {
  if (usage === undefined) return {}
  const { inputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage
  return {
    inputTokensTotal: inputTokens + cacheReadTokens + cacheCreationTokens,
    inputTokensUncached: inputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    outputTokens,
    reasoningTokens,
  }
}

/**
 * @param {import('../../packages/inference/src/index.ts').InferenceError} error
 * @param {'stream' | 'whole'} form
 * @returns {OutcomeError}
 */
function errorOf(error, form) {
  const { provider, status, retryable } = error
  return {
    kind: error.code,
    type: provider?.type ?? null,
    code: provider?.code ?? null,
    message: provider?.message ?? error.message,
    status: status ?? null,
    midStream: form === 'stream',
    retryable,
  }
}
