/** Reads the arguments of `decode` and `encode`. */
import { parseArgs } from 'node:util'
import { apiNames, createCodec, findProfile, isApi } from './codecs.mjs'
import { UsageError } from './usage-error.mjs'

/** @typedef {import('./codecs.mjs').Doors} Doors */
/** @typedef {import('./codecs.mjs').WireApi} WireApi */

/**
 * Reads options and files. pnpm passes a leading `--` on, npm does not.
 *
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} O
 * @param {readonly string[]} args
 * @param {O} options
 * @throws {UsageError}
 */
export function readArguments(args, options) {
  try {
    const rest = args[0] === '--' ? args.slice(1) : args
    return parseArgs({ args: [...rest], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Makes the codec that `--api` and `--profile` name.
 *
 * @param {string | undefined} api
 * @param {string | undefined} profile
 * @param {Doors} doors
 * @throws {UsageError}
 */
export async function readCodec(api, profile, doors) {
  if (api === undefined) throw new UsageError(`--api is missing: give ${listed(apiNames)}`)
  if (!isApi(api)) throw new UsageError(`--api ${JSON.stringify(api)} is not known: give ${listed(apiNames)}`)
  return { api, codec: await createCodec(api, await readProfile(profile, doors), doors) }
}

/**
 * @param {string | undefined} name
 * @param {Doors} doors
 */
async function readProfile(name, doors) {
  if (name === undefined) return undefined
  const { profile, names } = await findProfile(name, doors)
  if (profile === undefined) {
    throw new UsageError(`--profile ${JSON.stringify(name)} is not known: give ${listed(names)}`)
  }
  return profile
}

/**
 * Reads a whole number.
 *
 * @param {string} option
 * @param {string | undefined} text
 * @param {number} min
 * @param {number} max
 * @returns {number | undefined}
 * @throws {UsageError}
 */
export function readNumber(option, text, min, max) {
  if (text === undefined) return undefined
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`--${option} ${JSON.stringify(text)}: give a whole number from ${min} to ${max}`)
}

/** @param {readonly string[]} names */
function listed(names) {
  return names.join(', ')
}
