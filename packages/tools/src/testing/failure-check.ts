import assert from 'node:assert/strict'
import { isLooprigError } from '@looprig/core'
import { assertResult, assertTellsNoSentinel, refusal, textOf, withoutEffect } from './conformance-assertions.ts'
import { newCall, type Subject, sealFor } from './conformance-subject.ts'

/** A call that must fail does so with its code, whether it is prepared or run, tells no sentinel and changes nothing. */
export async function checkFailure(subject: Subject): Promise<void> {
  const { code, text } = await withoutEffect(subject, () => failureOf(subject), 'a call that fails')

  assert.equal(code, subject.case.fails, text)
  assertTellsNoSentinel(subject, text, 'the error')
}

async function failureOf(subject: Subject): Promise<{ code: string | undefined; text: string }> {
  const { tool, argsJson } = subject
  const call = newCall()
  const preparing = tool.prepareCall(call, argsJson)
  const prepared = await preparing.catch((error: unknown) =>
    isLooprigError(error) ? undefined : Promise.reject(error),
  )
  if (prepared === undefined) {
    const { code, message } = await refusal(subject, preparing, 'the call')
    return { code, text: message }
  }
  assertTellsNoSentinel(subject, JSON.stringify(prepared.request), 'the request')
  assertTellsNoSentinel(subject, tool.auditSummary(prepared.artifact), 'the audit line')
  const result = await tool.invoke({ ...call, prepared: sealFor(call, prepared) }, argsJson)
  assertResult(subject, result, true)
  return { code: result.code, text: textOf(result) }
}
