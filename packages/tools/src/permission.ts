export type { CommandDecision, CommandPolicy } from './permission/command/decide-command.ts'
export { decideCommand } from './permission/command/decide-command.ts'
export type { Shell } from './permission/command/line-reading.ts'
export type { CommandFamilies } from './permission/command/propose-candidate.ts'
export { defaultFamilies, proposeCommandCandidate } from './permission/command/propose-candidate.ts'
export type { FileErrorCode, RuleErrorCode } from './permission/errors.ts'
export { FileError, RuleError } from './permission/errors.ts'
export type { FileAccess, PermissionRule, RuleMatch } from './permission/rule/permission-rule.ts'
export { readDocument, writeDocument } from './permission/rule/read-document.ts'
export { ruleId, toRule } from './permission/rule/rule-text.ts'
export type { RuleDiagnostic } from './permission/store/diagnose.ts'
export type {
  ListedRule,
  PermissionStore,
  PermissionStoreOptions,
  RequestExplanation,
  RequirementExplanation,
  RuleReader,
} from './permission/store/permission-store.ts'
export { permissionStore, readOnlyPermissionStore } from './permission/store/permission-store.ts'
