import { measureDecoder } from '../decode/measure-decoder.mjs'

/**
 * @param {string} decoder
 * @param {number} scale
 */
export function probe(decoder, scale) {
  return measureDecoder(decoder, 'text', Math.ceil(16_000 / scale))
}
