import { type Block, type JsonObject, textBlock } from '@looprig/core'
import type { ContractCode } from './contract-code.ts'
import { ToolError } from './errors.ts'

/** What a call came to. The model reads `content`; `details` is for interfaces and never reaches the model. */
export interface ToolResult {
  readonly content: readonly Block[]
  readonly isError: boolean
  /**
   * Why it is an error, or what kind of success it is: snake_case, of the closed set that the tool documents or one of
   * `contractCodes`. Every error result has one.
   */
  readonly code?: string
  readonly details?: JsonObject
}

/** What a result may carry besides its text. */
export interface ResultOptions {
  readonly code?: string | undefined
  readonly details?: JsonObject | undefined
}

/** A successful result of one text. */
export function textResult(text: string, options: ResultOptions = {}): ToolResult {
  return makeResult(text, false, options)
}

/** An error result: the model reads the text and goes on. */
export function errorResult(code: string, text: string, options: Omit<ResultOptions, 'code'> = {}): ToolResult {
  return makeResult(text, true, { ...options, code })
}

/** An error result that comes of the contract, whatever the tool. */
export function contractError(code: ContractCode, text: string): ToolResult {
  return errorResult(code, text)
}

/** Turns whatever a tool threw into an error result: a `ToolError` tells its message, all else is `tool_failed`. */
export function thrownResult(error: unknown): ToolResult {
  try {
    if (error instanceof ToolError) return errorResult(error.code, error.message)
  } catch {
    // it fails at being looked at
  }
  return contractError('tool_failed', 'the tool failed')
}

function makeResult(text: string, isError: boolean, options: ResultOptions): ToolResult {
  return {
    content: [textBlock(text)],
    isError,
    ...(options.code === undefined ? {} : { code: options.code }),
    ...(options.details === undefined ? {} : { details: options.details }),
  }
}
