import assert from 'node:assert/strict'
import { seal } from '../contract/prepared-call.ts'
import { assertDenied, withoutEffect } from './conformance-assertions.ts'
import { newCall, type Subject, sealFor } from './conformance-subject.ts'

/** What holds of running without the one seal that a call has. */
export const sealChecks: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'refuses a missing or copied seal, without any effect': async (subject) => {
    const { tool, argsJson } = subject
    const call = newCall()
    const prepared = await tool.prepareCall(call, argsJson)
    const sealed = sealFor(call, prepared)

    for (const forged of [
      undefined,
      null,
      'a seal',
      prepared,
      { ...sealed },
      structuredClone(sealed),
      Object.create(sealed),
      new Proxy(sealed, {}),
    ]) {
      await refusesSeal(subject, () => tool.invoke({ ...call, prepared: forged }, argsJson))
    }
  },
  'refuses the seal of another call, without any effect': async (subject) => {
    const { tool, argsJson } = subject
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))

    await refusesSeal(subject, () => tool.invoke({ ...newCall(), prepared: sealed }, argsJson))
  },
  'refuses the seal of another tool, without any effect': async (subject) => {
    const { tool, argsJson } = subject
    const call = newCall()
    const { request, artifact } = await tool.prepareCall(call, argsJson)
    const { executionId } = call
    const sealed = seal({ executionId, request: { ...request, toolName: `${request.toolName}_other` }, artifact })

    await refusesSeal(subject, () => tool.invoke({ ...call, prepared: sealed }, argsJson))
  },
  'refuses a seal that was used, without a second effect': async (subject) => {
    const { tool, argsJson } = subject
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))
    await tool.invoke({ ...call, prepared: sealed }, argsJson)

    await refusesSeal(subject, () => tool.invoke({ ...call, prepared: sealed }, argsJson))
  },
  'lets one of two run that use a seal at the same time': async ({ tool, argsJson }) => {
    const call = newCall()
    const context = { ...call, prepared: sealFor(call, await tool.prepareCall(call, argsJson)) }

    const results = await Promise.all([tool.invoke(context, argsJson), tool.invoke(context, argsJson)])

    assert.deepEqual(
      results.map(({ code }) => code === 'permission_denied'),
      [false, true],
    )
  },
}

async function refusesSeal(subject: Subject, invoke: () => ReturnType<Subject['tool']['invoke']>): Promise<void> {
  assertDenied(subject, await withoutEffect(subject, invoke, 'a refused seal'))
}
