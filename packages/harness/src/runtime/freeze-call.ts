import { byteLength, deepFreeze, headWithin, isJsonValue, maxJsonDepth } from '@looprig/core'
import {
  boundPreview,
  isCheckedPreparation,
  type PreparedRequest,
  type Tool,
  ToolError,
  type ToolRequest,
  validateQuestion,
  validateRequest,
} from '@looprig/tools'
import { saidAtOnce } from '../error/said-at-once.ts'
import { requestSchema } from '../gate/request-schema.ts'

/** What a call will do, copied and frozen: nothing that a tool, gate or subscriber still holds can change it. */
export interface FrozenCall extends PreparedRequest {
  /** The key of what it writes: calls with an equal key do not run at the same time. */
  readonly writeTarget: string | undefined
  /** One line for logs and interfaces, without secrets and contents. */
  readonly summary: string
}

const maxSummaryBytes = 1_024

/** A request is journalled with its gate, several times over, so one that a model blew up must not get that far. */
const maxRequestBytes = 262_144

/**
 * Freezes what a tool says that a call will do. A tool of a third party need not come from `defineTool`, so nothing
 * that it returns is taken as it is.
 *
 * @throws what the tool throws, and an error when it prepared no valid request or no JSON data.
 */
export function freezeCall(tool: Tool, prepared: PreparedRequest | undefined): FrozenCall {
  if (prepared === undefined) throw new ToolError('tool_failed', 'the tool failed')
  const { request, artifact, question, preview } = isCheckedPreparation(prepared) ? prepared : checkedCopy(prepared)
  if (request.requirements.length > 0) checkRequest(request)
  const writeTarget = saidAtOnce(tool.writeTarget(artifact))
  if (writeTarget !== undefined && typeof writeTarget !== 'string')
    throw new ToolError('tool_failed', 'the tool failed')
  const summary = headWithin(String(saidAtOnce(tool.auditSummary(artifact))).toWellFormed(), maxSummaryBytes)
  return Object.freeze({
    request,
    artifact,
    writeTarget,
    summary,
    ...(question === undefined ? {} : { question }),
    ...(preview === undefined ? {} : { preview }),
  })
}

function checkedCopy(prepared: PreparedRequest): PreparedRequest {
  const { request, artifact, question } = keep({
    request: prepared.request,
    artifact: prepared.artifact,
    question: prepared.question,
  })
  const preview = prepared.preview === undefined ? undefined : boundPreview(prepared.preview)
  if (!isJsonValue(artifact)) throw new ToolError('tool_failed', 'the tool failed')
  validateRequest(request)
  if (question !== undefined) validateQuestion(question)
  return { request, artifact, question, preview }
}

/** A gate records the request, so it must be short enough, and one that can be read back. */
function checkRequest(request: ToolRequest): void {
  const text = JSON.stringify(request)
  if (byteLength(text) > maxRequestBytes) {
    throw new ToolError('request_too_large', 'the call was not prepared: what it asks for is longer than 256 KiB')
  }
  if (!requestSchema.safeParse(JSON.parse(text)).success) throw new ToolError('tool_failed', 'the tool failed')
}

/** What is frozen all the way down is kept; anything else is copied. */
function keep<T extends object>(prepared: T): T {
  const isFrozen = Object.values(prepared).every((part) => isFrozenData(part, maxJsonDepth))
  return isFrozen ? Object.freeze(prepared) : deepFreeze(structuredClone(prepared))
}

function isFrozenData(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth === 0 || !Object.isFrozen(value)) return false
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)
    // an accessor may answer otherwise the next time, also on a frozen object
    if (property === undefined || !('value' in property) || !isFrozenData(property.value, depth - 1)) return false
  }
  return true
}
