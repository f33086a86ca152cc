export type { ConformanceCase, ConformanceWorld, OddText } from './testing/conformance-case.ts'
export type { TestRegistrar } from './testing/tool-conformance.ts'
export { runToolConformance } from './testing/tool-conformance.ts'
