import type { JsonValue, ToolExecutionId } from '@looprig/core'
import { frozenJsonCopy } from './json-copy.ts'
import type { ToolRequest } from './request.ts'

/** What `seal` binds together. */
export interface SealInput {
  readonly executionId: ToolExecutionId
  readonly request: ToolRequest
  /** What `prepareCall` froze; anything that is not plain JSON data is refused. */
  readonly artifact: unknown
  /** Tokens for runners. They are kept in a private field and print nowhere. */
  readonly grants?: readonly string[] | undefined
}

/** The version of the seal's contract: another copy of this package with the same version agrees on it. */
export const sealVersion = 1

/** Whoever has no types may call a private constructor; without this key it makes nothing. */
const sealKey = Symbol('seal')

const noGrants: readonly string[] = Object.freeze([])

// assigned in the static block of the class: the only code that can touch the private fields
let sealCall: (input: SealInput) => PreparedCall
let openSeal: (value: unknown, executionId: ToolExecutionId, toolName: string) => OpenedSeal | SealRefusal

/**
 * One approved call: the frozen artifact and the grants. Only `seal` makes one. A spread, a clone, a Proxy or an
 * object with this prototype is not one, because the private field is missing.
 */
export class PreparedCall {
  readonly executionId: ToolExecutionId
  readonly toolName: string
  readonly version: number = sealVersion
  readonly #artifact: JsonValue
  readonly #grants: readonly string[]
  #consumed = false

  private constructor(
    key: symbol,
    executionId: ToolExecutionId,
    toolName: string,
    artifact: JsonValue,
    grants: readonly string[],
  ) {
    if (key !== sealKey) throw new TypeError('only `seal` makes a prepared call')
    this.executionId = executionId
    this.toolName = toolName
    this.#artifact = artifact
    this.#grants = grants
    Object.freeze(this)
  }

  static {
    sealCall = ({ executionId, request, artifact, grants }) =>
      new PreparedCall(
        sealKey,
        executionId,
        request.toolName,
        frozenJsonCopy(artifact),
        grants === undefined ? noGrants : Object.freeze([...grants]),
      )

    openSeal = (value, executionId, toolName) => {
      if (typeof value !== 'object' || value === null || !(#grants in value)) return 'missing'
      if (value.executionId !== executionId || value.toolName !== toolName) return 'foreign'
      if (value.#consumed) return 'consumed'
      value.#consumed = true
      return { artifact: value.#artifact, grants: value.#grants }
    }
  }
}

/** Why a seal did not open. */
export type SealRefusal = 'missing' | 'foreign' | 'consumed'

/** What an opened seal gives to the tool that runs. */
export interface OpenedSeal {
  readonly artifact: JsonValue
  readonly grants: readonly string[]
}

/**
 * Seals an approved call. Copies the artifact deeply, reading each property once, and freezes the copy.
 *
 * @throws ArtifactError `artifact_not_json` naming the part that is not plain JSON data.
 */
export function seal(input: SealInput): PreparedCall {
  return sealCall(input)
}

/** Opens a seal once, for the tool and the execution that it was made for. Not part of the door: only tools run it. */
export function openPreparedCall(
  value: unknown,
  executionId: ToolExecutionId,
  toolName: string,
): OpenedSeal | SealRefusal {
  return openSeal(value, executionId, toolName)
}
