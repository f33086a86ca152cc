import assert from 'node:assert/strict'
import { byteLength, isLooprigError, type JsonValue } from '@looprig/core'
import { type ContractCode, contractCodes } from '../contract/contract-code.ts'
import type { ToolResult } from '../contract/result.ts'
import type { Subject } from './conformance-subject.ts'

/** The longest error text, audit line or summary, in bytes. */
const maxLineBytes = 4_096

/** Waits for a refusal and gives its message; its code is of the contract or of the case. */
export async function refusal(subject: Subject, refused: Promise<unknown>, what: string) {
  let error: unknown
  try {
    await refused
  } catch (thrown) {
    error = thrown
  }
  assert.ok(error !== undefined, `${what} must be refused`)
  assert.ok(isLooprigError(error), `${what} must be refused with a ToolError, not with ${String(error)}`)
  assertKnownCode(error.code, subject.case.codes)
  assertErrorText(subject, error.message)
  return { code: error.code, message: error.message }
}

/** A result has content, plain data, and a known code where it is an error. */
export function assertResult(subject: Subject, result: ToolResult, isError: boolean): void {
  const text = textOf(result)
  assert.equal(result.isError, isError, text)
  assert.ok(result.content.length > 0, 'a result must have content')
  assert.ok(text.isWellFormed(), 'the text must hold no half of a surrogate pair')
  assert.deepEqual(JSON.parse(JSON.stringify(result)), result, 'the result must be plain JSON data')
  if (isError) assertErrorText(subject, text)
  if (isError || result.code !== undefined) assertKnownCode(result.code, subject.case.codes)
}

/** The seal was refused. */
export function assertDenied(subject: Subject, result: ToolResult): void {
  assertResult(subject, result, true)
  assert.equal(result.code, 'permission_denied')
}

/** Nothing of the case's sentinels is in a text that is told. */
export function assertTellsNoSentinel({ case: { sentinels = [] } }: Subject, text: string, what: string): void {
  for (const [index, sentinel] of sentinels.entries()) {
    assert.ok(!text.includes(sentinel), `${what} must not tell sentinel ${index}`)
  }
}

/** Where the workspace is on the host is for nobody: not in an error, not in a log. */
export function assertTellsNoHostPath({ world }: Subject, text: string, what: string): void {
  const root = world.bindings?.workspace?.root ?? ''
  assert.ok(root.length <= 1 || !text.includes(root), `${what} must not tell where the workspace is on the host`)
}

/** A line for people or logs: not empty, bounded, one line. */
export function assertLine(text: string, what: string): void {
  assert.ok(text.trim() !== '' && text.isWellFormed(), `${what} must not be empty or broken`)
  assert.ok(byteLength(text) <= maxLineBytes, `${what} must be at most ${maxLineBytes} bytes`)
  assert.doesNotMatch(text, /\p{Cc}/u, `${what} must be one line without control characters`)
}

/** Frozen all the way down. */
export function assertDeepFrozen(value: JsonValue | object, path: string): void {
  if (typeof value !== 'object' || value === null) return
  assert.ok(Object.isFrozen(value), `${path} must be frozen`)
  for (const [key, part] of Object.entries(value)) assertDeepFrozen(part, `${path}.${key}`)
}

/** Runs `act` and makes sure that nothing that the world shows has changed. */
export async function withoutEffect<T>({ world }: Subject, act: () => Promise<T>, what: string): Promise<T> {
  const before = await world.observe?.()
  const outcome = await act()
  assert.deepEqual(await world.observe?.(), before, `${what} must change nothing`)
  return outcome
}

/** What the model reads of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function assertErrorText(subject: Subject, text: string): void {
  assertTellsNoHostPath(subject, text, 'an error')
  assert.ok(text.isWellFormed(), 'an error must hold no half of a surrogate pair')
  assert.ok(byteLength(text) <= 16 * maxLineBytes, 'an error must be bounded')
  // a program's output may be part of an error, with its tabs and lines
  assert.doesNotMatch(text.replace(/[\t\n\r]/g, ' '), /\p{Cc}/u, 'an error must hold no control characters')
}

function assertKnownCode(code: string | undefined, codes: readonly string[] = []): void {
  assert.match(code ?? '', /^[a-z][a-z0-9_]*$/, 'an error must have a code in snake_case')
  const isKnown = contractCodes.includes(code as ContractCode) || codes.includes(code ?? '') // a look-up, whatever it is
  assert.ok(isKnown, `${code}: the code must be one of contractCodes or of the case's codes`)
}
