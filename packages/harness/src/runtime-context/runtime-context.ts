import { byteLength, headWithin, type TurnId } from '@looprig/core'
import { DefinitionError, type ErrorInfo } from '../error/errors.ts'

/** For which turn a runtime context is made. */
export interface RuntimeContextInfo {
  readonly turnId: TurnId
  /** Counted from 1 within the loop. */
  readonly turnIndex: number
  /** Aborted when the turn is stopped. */
  readonly signal: AbortSignal
}

/**
 * Says what the model should know of this moment, for example the time or the open files. Asked once per turn, and again
 * when a restored turn goes on. At most 4 KiB: what is longer keeps its start and says that it was cut. A blank text adds
 * nothing. What it throws fails the turn with `runtime_context_failed` before the model is asked.
 */
export type RuntimeContext = (info: RuntimeContextInfo) => string | Promise<string>

/** What a provider said, ready to be sent, or why the turn fails. */
export type ReadContext = { readonly text: string } | { readonly error: ErrorInfo }

/** @throws DefinitionError when there is one and it is no function. */
export function checkRuntimeContext(provider: RuntimeContext | undefined): RuntimeContext | undefined {
  if (provider === undefined || typeof provider === 'function') return provider
  throw new DefinitionError('runtimeContext', 'expected a function')
}

const maxBytes = 4_096
const notice = '\n[cut here: the runtime context is too long]'

/** Asks a provider and bounds what it says. Never throws. */
export async function readRuntimeContext(provider: RuntimeContext, info: RuntimeContextInfo): Promise<ReadContext> {
  try {
    const said: unknown = await provider(info)
    if (typeof said === 'string') return { text: bounded(said.toWellFormed()) }
  } catch {
    // its message may hold anything
  }
  return { error: { code: 'runtime_context_failed', message: 'the runtime context of the turn could not be made' } }
}

function bounded(text: string): string {
  if (text.trim() === '') return ''
  return byteLength(text) <= maxBytes ? text : headWithin(text, maxBytes - byteLength(notice)) + notice
}
