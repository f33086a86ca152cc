/** How many bytes are looked at. */
const sampleBytes = 8_192
/** Shorter samples say nothing about entropy. */
const minEntropySample = 256
const binaryEntropy = 7.5

/** Says whether bytes look like no text: more than 1 % NUL, or as mixed as compressed data. */
export function looksBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, sampleBytes)
  if (sample.length === 0) return false
  const counts = new Uint32Array(256)
  for (const byte of sample) counts[byte] = (counts[byte] ?? 0) + 1
  if ((counts[0] ?? 0) * 100 > sample.length) return true
  return sample.length >= minEntropySample && entropyOf(counts, sample.length) >= binaryEntropy
}

/** In bits per byte. */
function entropyOf(counts: Uint32Array, total: number): number {
  let bits = 0
  for (const count of counts) {
    if (count > 0) bits -= (count / total) * Math.log2(count / total)
  }
  return bits
}
