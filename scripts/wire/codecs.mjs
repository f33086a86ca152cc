/** The codecs by the names that recordings use. */

/** @typedef {import('../../packages/inference/src/codec/wire-codec.ts').WireCodec} WireCodec */
/** @typedef {import('../../packages/inference/src/codec/wire-codec.ts').WireApi} WireApi */
/** @typedef {import('../../packages/inference/src/openai.ts').ChatProfile} ChatProfile */

/**
 * Loads a door of inference, by its file name.
 *
 * @typedef {object} Doors
 * @property {() => Promise<typeof import('../../packages/inference/src/anthropic.ts')>} anthropic
 * @property {() => Promise<typeof import('../../packages/inference/src/openai.ts')>} openai
 * @property {() => Promise<typeof import('../../packages/inference/src/openai-responses.ts')>} openaiResponses
 * @property {() => Promise<typeof import('../../packages/inference/src/gemini.ts')>} gemini
 * @property {() => Promise<typeof import('../../packages/inference/src/bedrock.ts')>} bedrock
 * @property {() => Promise<typeof import('../../packages/inference/src/testing.ts')>} testing
 * @property {() => Promise<typeof import('../../packages/core/src/index.ts')>} core
 */

/** @type {Readonly<Record<WireApi, (doors: Doors, profile: ChatProfile | undefined) => Promise<WireCodec>>>} */
const codecs = {
  'anthropic-messages': async ({ anthropic }) => (await anthropic()).createAnthropicCodec(),
  'openai-chat': async ({ openai }, profile) => (await openai()).createChatCodec(profile),
  'openai-responses': async ({ openaiResponses }) => (await openaiResponses()).createResponsesCodec(),
  gemini: async ({ gemini }) => (await gemini()).createGeminiCodec(),
  'bedrock-converse': async ({ bedrock }) => (await bedrock()).createBedrockCodec(),
}

/** The names, as a person writes them. */
export const apiNames = Object.keys(codecs)

/**
 * @param {string} name
 * @returns {name is WireApi}
 */
export function isApi(name) {
  return Object.hasOwn(codecs, name)
}

/**
 * @param {WireApi} api
 * @param {ChatProfile | undefined} profile
 * @param {Doors} doors
 */
export function createCodec(api, profile, doors) {
  return codecs[api](doors, profile)
}

/**
 * Finds a profile by its name, however that is spelled.
 *
 * @param {string} name
 * @param {Doors} doors
 * @returns {Promise<{profile: ChatProfile | undefined, names: string[]}>} all names, for who looks for one.
 */
export async function findProfile(name, doors) {
  const { chatProfiles } = await doors.openai()
  const found = Object.entries(chatProfiles).find(([each]) => each === name.toLowerCase().replace(/[^a-z\d]/g, ''))
  return { profile: found?.[1], names: Object.keys(chatProfiles) }
}
