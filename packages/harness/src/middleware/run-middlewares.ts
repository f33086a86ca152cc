import { errorResult, ToolError, type ToolResult, thrownResult } from '@looprig/tools'
import { isA } from '../error/is-a.ts'
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

/**
 * Runs a call through the middlewares, the first one outermost. Resolves when no part of it runs any more, also one that
 * a middleware did not wait for. Never throws.
 */
export async function runMiddlewares(
  middlewares: readonly ToolMiddleware[],
  target: MiddlewareTarget,
): Promise<ToolResult> {
  const chain = new MiddlewareChain(middlewares, target)
  const result = await chain.enter(0)()
  await chain.settled()
  return result
}

class MiddlewareChain {
  readonly #middlewares: readonly ToolMiddleware[]
  readonly #target: MiddlewareTarget
  /** The runs of the tool that have not ended. */
  readonly #running = new Set<Promise<ToolResult>>()
  #isStarted = false

  constructor(middlewares: readonly ToolMiddleware[], target: MiddlewareTarget) {
    this.#middlewares = middlewares
    this.#target = target
  }

  /** Gives the way into the chain before one middleware; behind the last is the tool. */
  enter(index: number): NextInChain {
    let isUsed = false
    return () => {
      const isRepeated = isUsed && !this.#target.mayRepeat
      isUsed = true
      const passed = isRepeated ? Promise.reject(new MiddlewareError('next_repeated')) : this.#pass(index)
      // a middleware that does not look at what it started must not end the process
      passed.catch(() => undefined)
      return passed
    }
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #pass(index: number): Promise<ToolResult> {
    if (this.#target.hasEnded()) return ended()
    const middleware = this.#middlewares[index]
    if (middleware === undefined) return this.#invoke()
    try {
      return readResult(await middleware(this.#target.call, this.enter(index + 1))) ?? failed(this.#isStarted)
    } catch (error) {
      return isA(error, ToolError) ? thrownResult(error) : failed(this.#isStarted)
    }
  }

  async #invoke(): Promise<ToolResult> {
    this.#isStarted = true
    const running = this.#target.invoke()
    this.#running.add(running)
    const result = await running
    this.#running.delete(running)
    return readResult(result) ?? errorResult('invalid_result', 'the tool returned no valid result')
  }
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
