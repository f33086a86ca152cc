import { hash } from 'node:crypto'
import { type AIMessage, type Block, deepFreeze, type InputId, type TurnId, textOf, type Usage } from '@looprig/core'
import { createDeferred } from '../clock/deferred.ts'
import type { ErrorInfo } from '../error/errors.ts'
import { readOutput } from '../output/read-output.ts'
import type { TurnResult } from './submission.ts'

/** What is known of one input: whether it is durable, and how it ended. */
export class InputTracker {
  readonly inputId: InputId
  /** SHA-256 of its content: the same id with other content is a conflict. */
  readonly digest: string
  readonly #accepted = createDeferred<void>()
  readonly #result = createDeferred<TurnResult>()
  #isAccepted = false
  #isSettled = false

  constructor(inputId: InputId, digest: string) {
    this.inputId = inputId
    this.digest = digest
  }

  /** Its record is durable. */
  get isAccepted(): boolean {
    return this.#isAccepted
  }

  /** It has its outcome. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  get accepted(): Promise<void> {
    return this.#accepted.promise
  }

  get result(): Promise<TurnResult> {
    return this.#result.promise
  }

  /** Its record is durable. */
  accept(): void {
    this.#isAccepted = true
    this.#accepted.resolve()
  }

  /** It was not accepted and nothing was written. */
  refuse(error: Error & { readonly code: string }): void {
    this.#accepted.reject(error)
    const { code, message } = error
    this.settle({ status: 'rejected', inputId: this.inputId, text: '', usage: {}, error: { code, message } })
  }

  /** Its outcome is durable, or its session is parked. The first outcome counts. */
  settle(result: TurnResult): void {
    this.#isSettled = true
    this.#result.resolve(deepFreeze(result))
  }

  /** The session faulted before there was an outcome. */
  fail(fault: Error): void {
    this.#isSettled = true
    this.#accepted.reject(fault)
    this.#result.reject(fault)
  }
}

/** Makes the result of a turn from what it committed. */
export function turnResult(turn: {
  readonly status: TurnResult['status']
  readonly inputId: InputId
  readonly turnId: TurnId
  /** The turn's last model message. */
  readonly message: AIMessage | undefined
  readonly usage: Usage
  readonly error?: ErrorInfo | undefined
  /** Its last message is the output of its loop. */
  readonly isStructured?: boolean | undefined
}): TurnResult {
  const { status, inputId, turnId, message, usage, error, isStructured = false } = turn
  return {
    status,
    inputId,
    turnId,
    text: message === undefined ? '' : textOf(message.blocks),
    ...(message === undefined ? {} : { message }),
    ...(message === undefined || !isStructured ? {} : { output: readOutput(message) }),
    usage,
    ...(error === undefined ? {} : { error }),
  }
}

/** What makes two inputs the same. */
export function digestInput(blocks: readonly Block[]): string {
  return hash('sha256', JSON.stringify(blocks), 'hex')
}
