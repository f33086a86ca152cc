/** What a library does for a reader that is not there for a while: does the model wait, and what is kept meanwhile? */
import { setTimeout } from 'node:timers/promises'
import { works } from '../works.mjs'

const stallMs = 2_000
const deltas = 200_000
const readBeforeStall = 10

/**
 * @param {string} subject
 * @param {number} scale
 */
export async function probe(subject, scale) {
  const { stall } = await import(`../subjects/${subject}.mjs`)
  const turn = { ...works[0].turn, steps: 0, callsPerStep: 0 }
  // what a first turn loads and compiles is not the stall's
  await stall({ ...turn, deltas: 100 }, () => undefined)
  const before = heapBytes()
  const produced = { count: 0 }
  return new Promise((resolve, reject) => {
    const onRead = async (read) => {
      if (read !== readBeforeStall) return
      await setTimeout(stallMs / scale)
      resolve([produced.count, Math.max(0, heapBytes() - before) / 1e6])
    }
    stall({ ...turn, deltas: deltas / scale, produced }, onRead).catch(reject)
  })
}

/** What is left after a collection. */
function heapBytes() {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
