/** Looprig with its journal in memory. */
import { memoryStore } from '@looprig/store/memory'
import { prepareOn } from './looprig.mjs'

export const prepare = prepareOn(() => memoryStore())
