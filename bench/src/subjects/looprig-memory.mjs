/** Looprig with its journal in memory. */
import { memoryStore } from '@looprig/store/memory'
import { prepareOn, stallOn } from './looprig.mjs'

export const openStore = () => memoryStore()
export const prepare = prepareOn(openStore)
export const stall = stallOn(openStore)
