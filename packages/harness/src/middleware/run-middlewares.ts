import { errorResult, ToolError, type ToolResult, thrownResult } from '@looprig/tools'
import { MiddlewareError } from './middleware-error.ts'
import type { MiddlewareCall, NextInChain, ToolMiddleware } from './tool-middleware.ts'

/** What a chain of middlewares stands around. */
export interface MiddlewareTarget {
  readonly call: MiddlewareCall
  /** The call may run more than once: it is replay-safe and nothing of it is recorded. */
  readonly mayRepeat: boolean
  /** Says whether the call has ended: nothing may start any more. */
  hasEnded(): boolean
  /** Runs the tool, each time with a seal of its own. Never throws. */
  invoke(): Promise<ToolResult>
}

/** Runs a call through the middlewares, the first one outermost. Never throws. */
export function runMiddlewares(middlewares: readonly ToolMiddleware[], target: MiddlewareTarget): Promise<ToolResult> {
  let isStarted = false

  const enter = (index: number): NextInChain => {
    const middleware = middlewares[index]
    let isUsed = false
    return async () => {
      if (isUsed && !target.mayRepeat) throw new MiddlewareError('next_repeated')
      isUsed = true
      if (target.hasEnded()) return ended()
      if (middleware === undefined) {
        isStarted = true
        return readResult(await target.invoke()) ?? errorResult('invalid_result', 'the tool returned no valid result')
      }
      try {
        return readResult(await middleware(target.call, enter(index + 1))) ?? failed(isStarted)
      } catch (error) {
        return error instanceof ToolError ? thrownResult(error) : failed(isStarted)
      }
    }
  }

  return enter(0)()
}

/** A middleware reads the result of a tool, and the runtime that of a middleware: neither may trip over it. */
function readResult(result: ToolResult | null | undefined): ToolResult | undefined {
  try {
    return Array.isArray(result?.content) ? result : undefined
  } catch {
    // an accessor that throws
    return undefined
  }
}

function ended(): ToolResult {
  return errorResult('not_executed', 'not_executed: the call had ended before it ran; it changed nothing.')
}

/** The model must not take a broken middleware for a call that had no effect. */
function failed(isStarted: boolean): ToolResult {
  const outcome = isStarted
    ? 'after the call was started. It may have happened. Check before you repeat it.'
    : 'before the call ran.'
  return errorResult('middleware_failed', `middleware_failed: a middleware failed ${outcome}`)
}
