import { hash } from 'node:crypto'
import { canonicalJson, type JsonValue, type ToolExecutionId } from '@looprig/core'
import {
  errorResult,
  type PreparedRequest,
  type Requirement,
  type RuleCandidate,
  type Tool,
  type ToolResult,
} from '@looprig/tools'
import { recordsItsStart } from '../delegate/agent-tool.ts'
import type { EndOperation } from '../hook/hook-runner.ts'
import type { StepCallBody } from '../journal/record-body.ts'
import type { CallGate } from './call-gate.ts'
import type { FrozenCall } from './freeze-call.ts'
import { notedResult, type ShapedResult } from './result-message.ts'

/** One call of the step that runs now. The step owns it and is the only one to change it. */
export interface StepCall {
  readonly executionId: ToolExecutionId
  readonly toolUseId: string
  readonly name: string
  readonly argsJson: string
  /** Absent when the model named a tool that is not there. */
  readonly tool: Tool | undefined
  /** Absent when preparation refused the arguments. */
  prepared: FrozenCall | undefined
  /** The confinement under which its gate judged it. */
  fingerprint: string | undefined
  /** The requirements for which tokens are made right before it runs. */
  grants: readonly Requirement[]
  /** What a person is asked, or was asked last. */
  gate: CallGate | undefined
  /** The rules of an `approve_always` that are to be written before the call counts as approved. */
  saving: readonly RuleCandidate[] | undefined
  /** What would run is not any more what the person is asked about: an approval leads to nothing. */
  isStale: boolean
  /** A person approved it: its start is recorded even when it is replay-safe, since it spends the approval. */
  approved: boolean
  /** Its `run` record is durable. */
  recorded: boolean
  /** The record of its end is durable; `StepDone` may come without one. */
  hasEndRecord?: boolean
  /** This process started it. */
  spawned: boolean
  /** Ends what hooks are told of the call; there once they were told of its begin. */
  endHooks?: EndOperation
  /** Set once, by a refusal or by its end. */
  result: ShapedResult | undefined
}

/** A call that may run: nothing refused it. */
export type RunnableCall = StepCall & { readonly tool: Tool; readonly prepared: FrozenCall }

/** Says whether a call may run: it was prepared, and neither preparation nor the gate gave it a result. */
export function isRunnable(call: StepCall): call is RunnableCall {
  return call.result === undefined && call.tool !== undefined && call.prepared !== undefined
}

/** Says whether the start of a call must be durable before it starts. */
export function needsRunRecord(call: StepCall): boolean {
  if (recordsItsStart(call.tool)) return false
  return call.approved || call.tool?.replaySafe !== true
}

/** A call of a new step: nothing is known of it yet but what the model wrote. */
export function newStepCall(
  call: Pick<StepCall, 'executionId' | 'toolUseId' | 'name' | 'argsJson' | 'tool'>,
): StepCall {
  const { executionId, toolUseId, name, argsJson, tool } = call
  return {
    executionId,
    toolUseId,
    name,
    argsJson,
    tool,
    prepared: undefined,
    fingerprint: undefined,
    grants: [],
    gate: undefined,
    saving: undefined,
    isStale: false,
    approved: false,
    recorded: false,
    spawned: false,
    result: undefined,
  }
}

/**
 * What an approval is bound to: tool, schema, request, artifact, preview, question and confinement. A request's expiry
 * is left out, since it is counted from each preparation.
 */
export function callDigest(tool: Tool, prepared: PreparedRequest, fingerprint: string | undefined): string {
  const { name, schemaDigest } = tool.info
  const { expiresAtMs: _, ...request } = prepared.request
  const { preview, question } = prepared
  const bound: JsonValue = {
    tool: name,
    schema: schemaDigest,
    // proved for both: `freezeCall` copied and validated them
    request: request as unknown as JsonValue,
    artifact: prepared.artifact,
    ...(question === undefined ? {} : { question: question as unknown as JsonValue }),
    ...(preview === undefined ? {} : { preview: hash('sha256', `${preview.kind}\n${preview.text}`, 'hex') }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
  return hash('sha256', canonicalJson(bound), 'hex')
}

/** A call as the `step` record keeps it. */
export function stepCallBody(call: StepCall, result = call.result): StepCallBody {
  const { executionId, toolUseId, name, argsJson, tool, prepared, fingerprint } = call
  return {
    executionId,
    toolUseId,
    name,
    argsJson,
    // a tool of a third party may say anything
    replaySafe: tool === undefined || tool.replaySafe === true,
    ...(tool === undefined || prepared === undefined ? {} : { digest: callDigest(tool, prepared, fingerprint) }),
    ...(result === undefined ? {} : { refused: result.message }),
  }
}

/** The error result of a call that never got as far as a tool. */
export function unknownTool(name: string): ToolResult {
  const shown = name.slice(0, 64).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  return errorResult('unknown_tool', `error: unknown tool: ${shown}`)
}

/**
 * The result of a call whose step is closed: what it has, else that its outcome is unknown, or that it never ran. One
 * rule for interrupt, failure and restore.
 */
export function closedResult(call: {
  readonly toolUseId: string
  readonly result: ShapedResult | undefined
  /** It may have had an effect: its start was recorded, and this process did not keep it from starting. */
  readonly mayHaveRun: boolean
}): ShapedResult {
  if (call.result !== undefined) return call.result
  return call.mayHaveRun
    ? notedResult(call.toolUseId, 'outcome_unknown', outcomeUnknown)
    : notedResult(call.toolUseId, 'not_executed', 'the turn ended before this call had a result; it changed nothing.')
}

const outcomeUnknown =
  'this call was started and its result was lost. It may have happened, or may still happen. Check before you repeat it.'
