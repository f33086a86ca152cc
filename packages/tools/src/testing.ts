export type { ToolContractWorld } from './testing/contract-world.ts'
export type { TestRegistrar, ToolContractSubject } from './testing/tool-contract.ts'
export { runToolContract } from './testing/tool-contract.ts'
