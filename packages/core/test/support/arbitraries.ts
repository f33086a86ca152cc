import { contentArbitraries } from '@looprig/core/testing'
import fc from 'fast-check'

/** The generators of this package, for its own tests. */
export const arbitraries = contentArbitraries(fc)
