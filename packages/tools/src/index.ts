export type { Access, AccessSource } from './contract/access-source.ts'
export type {
  AvailableBindings,
  BindingIdentity,
  BindingKinds,
  BindingName,
  BindingsFor,
  OfferedWorkspace,
  ProcessesBinding,
  WorkspaceBinding,
} from './contract/bindings.ts'
export { buildTools } from './contract/build-tools.ts'
export { isCheckedPreparation } from './contract/checked-preparation.ts'
export type { CompiledTool } from './contract/compile-tool.ts'
export type { ContractCode } from './contract/contract-code.ts'
export { contractCodes } from './contract/contract-code.ts'
export type { BundledToolSpec, BundleSpec, BundleTool } from './contract/define-bundle.ts'
export { defineBundle } from './contract/define-bundle.ts'
export { defineTool } from './contract/define-tool.ts'
export type { ToolDefinition, ToolIdentity } from './contract/definition.ts'
export type { ProducedNames } from './contract/errors.ts'
export { ArtifactError, DefinitionBuildError, RequestValidationError, ToolError } from './contract/errors.ts'
export type { FileObservation, FileObservations } from './contract/file-observations.ts'
export { createFileObservations } from './contract/file-observations.ts'
export type { GrantBinding, GrantIssuer } from './contract/grant.ts'
export type { InputSchema, RawInputSchema } from './contract/input-schema.ts'
export type { SealInput } from './contract/prepared-call.ts'
export { PreparedCall, seal, sealVersion } from './contract/prepared-call.ts'
export type { Preview } from './contract/preview.ts'
export { boundPreview } from './contract/preview.ts'
export type { UserQuestion } from './contract/question.ts'
export { isAnswerTo, validateQuestion } from './contract/question.ts'
export type { ReadGuard } from './contract/read-guard.ts'
export type { Requirement, RuleCandidate, ToolRequest } from './contract/request.ts'
export {
  commandExecute,
  commandStartGrant,
  readRequirement,
  readTreeRequirement,
  writeRequirement,
} from './contract/request.ts'
export type { ResultOptions, ToolResult } from './contract/result.ts'
export { errorResult, textResult, thrownResult } from './contract/result.ts'
export type { Rule, RuleSource, RuleWriter } from './contract/rule.ts'
export type {
  CommandEnd,
  CommandRequest,
  CommandRunner,
  PreparedProcess,
  ProcessEnd,
  ProcessRequest,
  ProcessRunner,
  ProcessSignal,
  RunnerErrorCode,
  RunnerResolver,
  RunningProcess,
  ShellRunner,
  TerminalSize,
} from './contract/runner.ts'
export { RunnerError } from './contract/runner.ts'
export type {
  ProcessLifecycle,
  ProcessReason,
  ProcessState,
  SessionResource,
  SessionResourceServices,
  SessionResources,
} from './contract/session-resource.ts'
export type { CallContext, InvokeContext, PreparedRequest, Tool, ToolInfo } from './contract/tool.ts'
export type {
  EffectfulToolSpec,
  Frozen,
  Preparation,
  PrepareContext,
  PureToolSpec,
  RunContext,
  ToolSpec,
} from './contract/tool-spec.ts'
export { validateRequest } from './contract/validate-request.ts'
export type {
  Permit,
  WorkspaceAccess,
  WorkspaceCoordinator,
  WorkspaceOperation,
} from './contract/workspace-coordinator.ts'
export { createWorkspaceCoordinator } from './contract/workspace-coordinator.ts'
