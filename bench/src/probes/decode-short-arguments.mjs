import { measureDecoder } from '../decode/measure-decoder.mjs'

/**
 * @param {string} decoder
 * @param {number} scale
 */
export function probe(decoder, scale) {
  return measureDecoder(decoder, 'arguments', Math.ceil(4_000 / scale))
}
