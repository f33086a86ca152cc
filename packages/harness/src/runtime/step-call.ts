import { hash } from 'node:crypto'
import { canonicalJson, type GateId, type JsonValue, type ToolExecutionId } from '@looprig/core'
import { errorResult, type PreparedRequest, type Tool, type ToolResult } from '@looprig/tools'
import type { StepCallBody } from '../journal/record-body.ts'
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
  /** Set when a person is asked. */
  gateId: GateId | undefined
  /** A person approved it: its start is recorded even when it is replay-safe, since it spends the approval. */
  approved: boolean
  /** Its `run` record is durable. */
  recorded: boolean
  /** This process started it. */
  spawned: boolean
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
  return call.approved || call.tool?.replaySafe !== true
}

/** What an approval is bound to: tool, schema, request and artifact. */
export function callDigest(tool: Tool, prepared: PreparedRequest): string {
  const { name, schemaDigest } = tool.info
  const bound: JsonValue = {
    tool: name,
    schema: schemaDigest,
    // proved: `freezeCall` copied the request and validated it
    request: prepared.request as unknown as JsonValue,
    artifact: prepared.artifact,
  }
  return hash('sha256', canonicalJson(bound), 'hex')
}

/** A call as the `step` record keeps it. */
export function stepCallBody(call: StepCall): StepCallBody {
  const { executionId, toolUseId, name, argsJson, tool, prepared, result } = call
  return {
    executionId,
    toolUseId,
    name,
    argsJson,
    replaySafe: tool?.replaySafe ?? true,
    ...(tool === undefined || prepared === undefined ? {} : { digest: callDigest(tool, prepared) }),
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
