import { LooprigError } from '@looprig/core'

/** What a middleware may not do. `next_repeated`: it started a call again whose start is recorded. */
export class MiddlewareError extends LooprigError {
  override readonly name = 'MiddlewareError'
  readonly code: 'next_repeated'

  constructor(code: MiddlewareError['code']) {
    super('next: this call may run only once')
    this.code = code
  }
}
