import assert from 'node:assert/strict'
import type { PreparedRequest } from '../contract/tool.ts'
import { validateRequest } from '../contract/validate-request.ts'
import {
  assertDeepFrozen,
  assertLine,
  assertResult,
  assertTellsNoHostPath,
  assertTellsNoSentinel,
  textOf,
  withoutEffect,
} from './conformance-assertions.ts'
import { newCall, runSubject, type Subject, sealFor } from './conformance-subject.ts'

/** What holds of a call that succeeds. */
export const callChecks: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'prepares a valid request and a frozen artifact, without any effect': async (subject) => {
    const { request, artifact } = await prepareOnly(subject)

    validateRequest(request)
    assert.equal(request.toolName, subject.tool.info.name)
    assertDeepFrozen(request, 'request')
    assertDeepFrozen(artifact, 'artifact')
    assert.deepEqual(JSON.parse(JSON.stringify(artifact)), artifact, 'the artifact must be plain JSON data')
  },
  'prepares equal arguments alike, and shares nothing between two calls': async (subject) => {
    const [one, other] = [await prepareOnly(subject), await prepareOnly(subject)]

    assert.deepEqual(one.request, other.request)
    assert.ok(one.artifact !== other.artifact || typeof one.artifact !== 'object', 'each call has its own artifact')
  },
  'tells people one bounded line of each thing': async (subject) => {
    const { request, artifact } = await prepareOnly(subject)

    assertLine(request.summary, 'the summary')
    for (const { description } of request.requirements) assertLine(description, 'a description')
    const audit = subject.tool.auditSummary(artifact)
    assertLine(audit, 'the audit line')
    assertTellsNoSentinel(subject, audit, 'the audit line')
    assertTellsNoHostPath(subject, audit, 'the audit line')
    assertTellsNoSentinel(subject, JSON.stringify(request), 'the request')
  },
  'has a stable write target, which the request asks to write': async (subject) => {
    const { request, artifact } = await prepareOnly(subject)

    const target = subject.tool.writeTarget(artifact)

    assert.equal(subject.tool.writeTarget(artifact), target, 'the write target must be stable')
    if (target === undefined) return
    assertTellsNoSentinel(subject, target, 'the write target')
    const writes = request.requirements.filter(({ kind }) => kind === 'filesystem.write')
    const isAsked = writes.length === 0 || writes.some(({ scope }) => scope === target)
    assert.ok(isAsked, 'the write target must be the scope of a filesystem.write requirement')
  },
  'runs the sealed call': async (subject) => {
    assertResult(subject, await runSubject(subject), false)
  },
  'ignores the arguments that come with the run': async (subject) => {
    assertResult(subject, await runSubject(subject, '{"not":"these"}'), false)
  },
  'changes nothing when it says that it can be run again': async (subject) => {
    if (!subject.tool.replaySafe) return
    await withoutEffect(subject, () => runSubject(subject), 'a call that is safe to replay')
  },
  'runs nothing once the call is aborted': async (subject) => {
    const { tool, argsJson } = subject
    const call = newCall()
    const prepared = sealFor(call, await tool.prepareCall(call, argsJson))

    const context = { ...call, signal: AbortSignal.abort(), prepared }
    const result = await withoutEffect(subject, () => tool.invoke(context, argsJson), 'a call that is aborted before')

    assertResult(subject, result, true)
    assertTellsNoSentinel(subject, textOf(result), 'the error')
  },
  'ends with a result when the call is aborted while it runs': async (subject) => {
    const { tool, argsJson } = subject
    const end = new AbortController()
    const call = newCall(end.signal)
    const prepared = sealFor(call, await tool.prepareCall(call, argsJson))

    const running = tool.invoke({ ...call, prepared }, argsJson)
    end.abort()
    const result = await running

    assertResult(subject, result, result.isError)
    if (result.isError) assertTellsNoSentinel(subject, textOf(result), 'the error')
  },
}

function prepareOnly(subject: Subject): Promise<PreparedRequest> {
  return withoutEffect(subject, () => subject.tool.prepareCall(newCall(), subject.argsJson), 'preparing')
}
